// The public interface of the vocabulary: everything that other folders may use of it. Nothing behind it reads a clock, a file
// or a socket, and nothing here depends on any other folder.
export * from './bytes.ts';
export * from './codec.ts';
export * from './eventWriter.ts';
export { CodecError, numberIn } from './fields.ts';
export * from './keyTable.ts';
export * from './layout.ts';
export * from './limits.ts';
export * from './lineBytes.ts';
export * from './marketTerms.ts';
export * from './message.ts';
export * from './messages.ts';
export * from './notificationIds.ts';
export * from './rejections.ts';
export * from './reservedAccounts.ts';
export * from './sections.ts';
export * from './terms.ts';
export * from './textColumn.ts';
export * from './textTable.ts';
export * from './thrown.ts';
export * from './units.ts';
