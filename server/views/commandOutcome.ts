// The outcome of a record's own command, for followers: a record's events may also stem from due items settled with it.
// Used by the views and by the historian's indexer.
import type { LogRecord } from '../../engine/index.ts';

type CommandRecord = Pick<LogRecord, 'command' | 'events'>;

/** Whether the command was refused. */
export const isRejected = ({ events }: Pick<LogRecord, 'events'>): boolean =>
  events.some(({ type }) => type === 'Rejected');

/** Whether the record's own command changed this market: a due item can also change its tick. */
export const isUpdateOf = ({ command, events }: CommandRecord, marketIndex: number): boolean =>
  command.type === 'UpdateMarket' && command.marketIndex === marketIndex && !isRejected({ events });
