// Submits commands whose rejection is the answer to the request. Called by the routes of operators, development, keys and
// positions. Orders and cancels have replies of their own and do not pass through here.
import {
  type Command,
  type EventOf,
  encodeCommand,
  type LogRecord,
  type RunningExchange,
  rejectionName,
} from '../../engine/index.ts';
import type { Services } from '../services.ts';
import { type RejectionContext, rejectionError } from '../wire/rejections.ts';
import { claimCommands, ownerOfAddress } from './ownerWallets.ts';

/** A record's first event of a type, if there is one. */
export function eventOf<Name extends LogRecord['events'][number]['type']>(
  record: LogRecord,
  type: Name,
): EventOf<Name> | undefined {
  return record.events.find((event): event is EventOf<Name> => event.type === type);
}

/**
 * Submits a command and returns its durable record.
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

/** Assigns to an owner those of its derived wallets that received money before the owner was known. */
export async function claimWallets(services: Services, owner: string): Promise<void> {
  for (const claim of claimCommands(services, owner)) await submitAccepted(services.exchange, claim);
}

/**
 * Like submitAccepted, for a command on an address's wallet, which must name its owner. A first key or a binding may give
 * the address an owner while the command is in flight. A command refused for that reason is submitted again with that
 * owner, and an account that it opened without an owner is assigned to the new one.
 * @param given as in ownerOfAddress
 * @returns the owner
 */
export async function submitForWallet(
  services: Services,
  address: string,
  given: string | undefined,
  commandOf: (owner: string) => Command,
): Promise<string> {
  const { exchange, views } = services;
  const owner = ownerOfAddress(services, address, given);
  const record = await exchange.submit(encodeCommand(commandOf(owner)));
  const refused = eventOf(record, 'Rejected');
  if (refused !== undefined) {
    const newOwner = ownerOfAddress(services, address, given);
    if (newOwner === owner || rejectionName(refused.code) !== 'WALLET_NOT_OWNED')
      throw rejectionError(refused, { address });
    await submitAccepted(exchange, commandOf(newOwner), { address });
    return newOwner;
  }
  const derivingOwner = views.accounts.ownerOfDerived(address);
  if (derivingOwner === undefined) return owner;
  await claimWallets(services, derivingOwner);
  return ownerOfAddress(services, address, given);
}
