// The public interface of the pipeline: how an exchange is opened, its clocks, its types, and the errors that can keep it from
// opening. Imported by engine/index.ts and by tests; the stages behind it are private.
export { VirtualClock } from './clock.ts';
export type { InlineParts } from './inline.ts';
export { LoopTurn } from './loopTurn.ts';
export { openExchange } from './open.ts';
export { DecodedRecord, EngineDefect } from './record.ts';
export { RecoveryDiffers, RulesVersionUnknown } from './recovery.ts';
export { Reducers } from './reducers.ts';
export { ClockBehindJournal } from './sequencer.ts';
export { makeSnapshot, visitState } from './snapshot.ts';
export type {
  Alarm,
  Clock,
  EngineSettings,
  ExchangeOptions,
  Follower,
  Log,
  LogRecord,
  RunningExchange,
  StateHashes,
} from './types.ts';
export { type VerifiedJournal, verifyJournal } from './verification.ts';
