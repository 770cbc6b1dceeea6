// Submits a command whose rejection is the answer of the request. Called by the routes of operators, development, keys
// and positions. Orders and cancels have replies of their own and do not come through here.
import { type Command, type EventOf, encodeCommand, type LogRecord, type RunningExchange } from '../../engine/index.ts';
import { type RejectionContext, rejectionError } from '../wire/rejections.ts';

/** The event of a type in a record, if there is one. */
export function eventOf<Name extends LogRecord['events'][number]['type']>(
  record: LogRecord,
  type: Name,
): EventOf<Name> | undefined {
  return record.events.find((event): event is EventOf<Name> => event.type === type);
}

/**
 * The durable record of a command that was not refused.
 * @throws BadRequest with the rejection's sentence; StorageUnavailable when nothing is accepted
 */
export async function submitAccepted(
  exchange: RunningExchange,
  command: Command,
  context: RejectionContext = {},
): Promise<LogRecord> {
  const record = await exchange.submit(encodeCommand(command));
  const refused = eventOf(record, 'Rejected');
  if (refused !== undefined) throw rejectionError(refused, context);
  return record;
}
