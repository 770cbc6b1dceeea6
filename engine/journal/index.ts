// The public interface of the journal: everything that the pipeline and engine/index.ts may use of it. Nothing else of this
// folder is imported from outside.
export { type Archived, type ArchiveStep, archiveJournal } from './archive.ts';
export { commitCauseOf } from './commitCause.ts';
export { copyJournal } from './copy.ts';
export { DATA_FORMAT, DataDirectory } from './dataDirectory.ts';
export { withDeadline } from './deadline.ts';
export { wasLeftBehind } from './directoryLock.ts';
export { DiskSpace } from './diskSpace.ts';
export { assertFileIsWhole, prepareToWrite } from './environment.ts';
export {
  DataDirectoryLocked,
  FormatUnsupported,
  JournalArchived,
  JournalDamaged,
  requireSameVersion,
  SnapshotOfAnotherVersion,
  StorageUnavailable,
} from './errors.ts';
export { Distribution, JournalFigures } from './figures.ts';
export {
  codeOf,
  copyDurably,
  dataFileIn,
  FORMAT_FILE,
  isOfSystem,
  isRefusedBySystem,
  isWithin,
  journalFileIn,
  journalFolderIn,
  lockPathIn,
  makeFolders,
  PRIVATE_FOLDER,
  snapshotFolderIn,
  syncFile,
  syncFolder,
  writeWhole,
} from './files.ts';
export { hashAt, Journal, type JournalListener, type RetryPolicy, storedCursors } from './journal.ts';
export { LmdbStore, wouldWaitForJournal } from './lmdbStore.ts';
export { type PackedRecords, packedAfter, packRecords } from './packedRecords.ts';
export { PartedStore } from './partedStore.ts';
export { ReadAheadThread, readAhead } from './readAhead.ts';
export { JournalReader } from './reader.ts';
export {
  hashAfter,
  JournalRecord,
  RECORD_AT,
  RECORD_HEADER_BYTES,
  recordsOf,
} from './record.ts';
export { readFacts, type SnapshotFacts, SnapshotFile } from './snapshotFile.ts';
export { type KeptSnapshot, SnapshotFolder, type SnapshotStep } from './snapshots.ts';
export { type BatchStore, MemoryStore, type StoredBatch } from './store.ts';
