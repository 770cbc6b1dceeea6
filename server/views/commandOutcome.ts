// What a record says of its own command, for followers: events of a record may also come from items that fell due with it.
// Used by the views and by the historian's indexer.
import type { LogRecord } from '../../engine/index.ts';

type Told = Pick<LogRecord, 'command' | 'events'>;

/** Whether the command was refused. */
export const isRejected = ({ events }: Pick<Told, 'events'>): boolean => events.some(({ type }) => type === 'Rejected');

/** Whether the record changed this market by its command: a tick can also change by an item that fell due. */
export const isUpdateOf = ({ command, events }: Told, marketIndex: number): boolean =>
  command.type === 'UpdateMarket' && command.marketIndex === marketIndex && !isRejected({ events });
