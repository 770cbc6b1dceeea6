// The house's accounts: keys of the development mnemonic from index 1000 up, each with an API key and a deposit, and how they
// place and cancel orders. Called by house.ts, by commands.ts and at a start without a house. They are ordinary bots: orders
// are signed and pass the same intake as posted ones, and everything else is the command that a request would submit.
import {
  ApiKeyKind,
  CancelReason,
  type Command,
  type EventOf,
  encodeCommand,
  type LogRecord,
  type OrderType,
  type RejectionName,
  rejectionName,
  type Side,
  takesOnly,
} from '../../../engine/index.ts';
import { deriveCredentials } from '../../auth/apiKeys.ts';
import type { Caller } from '../../auth/caller.ts';
import { requireHex } from '../../auth/hex.ts';
import { requireKeyId } from '../../auth/keyIds.ts';
import { developmentWallet } from '../../auth/mnemonic.ts';
import { intakeOrder } from '../../commands/orderIntake.ts';
import { walletsOfOwner } from '../../commands/ownerWallets.ts';
import type { Services } from '../../services.ts';
import type { Market } from '../../views/index.ts';
import { orderTypeText } from '../../wire/terms.ts';
import { clientAmounts, signedBody } from '../clientOrder.ts';
import { choices } from './model.ts';

/** The nonce of each house account's one API key. */
const NONCE = 0;

export interface HouseAccount {
  /** Lower case; both owner and wallet (signature type 0). */
  readonly address: string;
  readonly privateKey: Uint8Array;
  caller: Caller;
}

/** An order for an account to place, in the terms of the token that it names. */
export interface HouseOrder {
  readonly market: Market;
  readonly outcome: 0 | 1;
  readonly side: Side;
  readonly pips: number;
  readonly lots: number;
  readonly orderType: OrderType;
  readonly postOnly: boolean;
  readonly salt: number;
}

/** A command of the house was unexpectedly refused; the house retries later. */
class HouseRefused extends Error {
  override readonly name = 'HouseRefused';
}

/** The rejection of a record's command, if any: the core's Rejected event, or that of a killed order. */
export function refusalOf({ events }: LogRecord): EventOf<'Rejected'> | EventOf<'OrderKilled'> | undefined {
  return events.find((event) => event.type === 'Rejected' || event.type === 'OrderKilled');
}

/** @param expected a rejection that counts as success */
async function submitAccepted({ exchange }: Services, command: Command, expected?: RejectionName): Promise<void> {
  const refusal = refusalOf(await exchange.submit(encodeCommand(command)));
  const name = refusal && rejectionName(refusal.code);
  if (name !== undefined && name !== expected) throw new HouseRefused(`${command.type} was refused: ${name}`);
}

function callerOf({ secret }: Services, owner: string, generation: number): Caller {
  const { apiKey } = deriveCredentials(secret, { kind: ApiKeyKind.TRADING, owner, nonce: NONCE, generation });
  return { owner, apiKey, keyId: requireKeyId(apiKey) };
}

/** The account's API key: the active one, or a new one. */
async function openKey(services: Services, owner: string): Promise<Caller> {
  const latest = services.views.keys.latest(owner, NONCE, ApiKeyKind.TRADING);
  if (latest?.isActive === true) return { owner, apiKey: latest.apiKey, keyId: latest.keyId };
  const generation = latest === undefined ? 0 : latest.generation + 1;
  const caller = callerOf(services, owner, generation);
  const items = walletsOfOwner(owner, services.wallets);
  const { keyId } = caller;
  await submitAccepted(services, {
    type: 'CreateApiKey',
    owner,
    keyId,
    nonce: NONCE,
    generation,
    kind: ApiKeyKind.TRADING,
    items,
  });
  return caller;
}

/** Tops up the account if its balance is below the minimum. At the limit of all deposits, it trades with what it has. */
export async function fundAccount(services: Services, address: string): Promise<void> {
  const account = services.views.accounts.byWallet(address);
  const balanceMicro = account?.collateralMicro ?? 0;
  if (balanceMicro >= choices.balanceMicroMin) return;
  const amountMicro = choices.depositMicro - balanceMicro;
  const deposit = { type: 'Deposit', wallet: address, owner: address, amountMicro, isFaucet: 1 } as const;
  await submitAccepted(services, deposit, 'DEPOSITS_FULL');
}

/** The addresses of the house's accounts, makers first. */
export function houseAddresses(): readonly string[] {
  const count = choices.makerCount + choices.takerCount;
  return Array.from({ length: count }, (_, index) => developmentWallet(choices.firstWalletIndex + index).address);
}

function hasOpenOrders({ views }: Services, owner: string): boolean {
  for (const _order of views.orders.openOf(owner)) return true;
  return false;
}

/** Cancels orders that an account still has in the books from an earlier start. */
async function cancelAll(services: Services, { owner, keyId }: Caller): Promise<void> {
  if (!hasOpenOrders(services, owner)) return;
  await services.exchange.submit(encodeCommand({ type: 'CancelAll', owner, keyId }));
}

/** Opens an account or resumes it: ensures its key and its funds, and cancels its open orders. @throws HouseRefused */
async function openAccount(services: Services, index: number): Promise<HouseAccount> {
  const { address, privateKey } = developmentWallet(choices.firstWalletIndex + index);
  const caller = await openKey(services, address);
  await cancelAll(services, caller);
  await fundAccount(services, address);
  return { address, privateKey: requireHex(privateKey, 32, 'The private key'), caller };
}

/** The accounts, makers first. @throws HouseRefused, StorageUnavailable */
export async function openAccounts(services: Services): Promise<readonly HouseAccount[]> {
  const accounts: HouseAccount[] = [];
  const count = choices.makerCount + choices.takerCount;
  for (let index = 0; index < count; index += 1) accounts.push(await openAccount(services, index));
  return accounts;
}

/** Creates a new key for the account if its key was deleted. @throws HouseRefused, StorageUnavailable */
export async function renewKey(services: Services, account: HouseAccount): Promise<void> {
  account.caller = await openKey(services, account.address);
}

/**
 * Cancels the orders that an earlier start with a house left in the books, for a start without one.
 * @returns the number of orders cancelled
 */
export async function withdrawHouse(services: Services): Promise<number> {
  let count = 0;
  for (const owner of houseAddresses()) {
    if (!hasOpenOrders(services, owner)) continue;
    const record = await services.exchange.submit(
      encodeCommand({ type: 'CancelAll', ...(await openKey(services, owner)) }),
    );
    count += record.events.filter(
      (event) => event.type === 'OrderCanceled' && event.reason === CancelReason.REQUESTED,
    ).length;
  }
  return count;
}

/** Signs the body that a client would post and encodes it through the intake of orders. @throws BadRequest as that does */
export function encodeOrder(
  services: Services,
  { address, privateKey, caller }: HouseAccount,
  order: HouseOrder,
): Uint8Array {
  const { market, outcome, side, pips, lots, orderType, postOnly, salt } = order;
  const terms = { side, pips, lots, tickPips: market.terms.tickPips, takesOnly: takesOnly(orderType) };
  const body = signedBody(
    {
      salt,
      address,
      tokenId: market.tokens[outcome],
      amounts: clientAmounts(terms),
      side,
      timestampMs: services.exchange.now(),
      apiKey: caller.apiKey,
      orderType: orderTypeText(orderType),
      postOnly,
    },
    privateKey,
    services.orderHasher.domain(market.negRisk),
  );
  return intakeOrder(body, caller, services).bytes;
}
