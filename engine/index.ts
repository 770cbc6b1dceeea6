// The door of the engine: everything that the server, the benches and the tests of other rooms may use of it.
// Nothing behind it is imported directly from outside.
export {
  type Archived,
  type ArchiveStep,
  archiveJournal,
  assertFileIsWhole,
  type BatchStore,
  type CopyOptions,
  codeOf,
  copyJournal,
  DATA_FORMAT,
  DataDirectoryLocked,
  FormatUnsupported,
  isWithin,
  JournalArchived,
  JournalDamaged,
  JournalReader,
  type JournalRecord,
  MemoryStore,
  makeFolders,
  prepareEnvironment,
  RECORD_AT,
  RECORD_HEADER_BYTES,
  ReadAheadThread,
  type RetryPolicy,
  Room,
  SnapshotFolder,
  type SnapshotStep,
  StorageUnavailable,
  wasLeftBehind,
} from './journal/index.ts';
export * from './pipeline/index.ts';
export * from './protocol/index.ts';
