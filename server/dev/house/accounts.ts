// The house's accounts: keys of the development mnemonic from index 1000 up, an API key and a deposit each, and the way in
// which they place orders and cancel. Called by house.ts. They are bots like any other: orders are signed and pass the same
// intake as posted ones, and everything else is the command that its request would submit.
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
import { requireHex, ZERO_BYTES32 } from '../../auth/hex.ts';
import { developmentWallet } from '../../auth/mnemonic.ts';
import type { SignableOrder } from '../../auth/orderDigest.ts';
import { signOrder } from '../../auth/orderSignature.ts';
import { intakeOrder } from '../../routes/orderIntake.ts';
import { walletsOfOwner } from '../../routes/ownerWallets.ts';
import type { Services } from '../../services.ts';
import type { Market } from '../../views/index.ts';
import { requireKeyId } from '../../wire/ids.ts';
import { orderTypeText, sideText } from '../../wire/trades.ts';
import { clientAmounts } from '../clientAmounts.ts';
import { choices } from './model.ts';

/** The house's accounts have one API key each, of this nonce. */
const NONCE = 0;

export interface HouseAccount {
  /** Lower case; owner and wallet at once (signature type 0). */
  readonly address: string;
  readonly privateKey: Uint8Array;
  caller: Caller;
}

/** An order as an account is to place it: in the terms of the token that it names. */
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

/** A command of the house was refused that nothing should refuse: it is tried again later. */
class HouseRefused extends Error {
  override readonly name = 'HouseRefused';
}

/** The rejection of a record's command, if it was refused: the event of the core, or that of a killed order. */
export function refusalOf({ events }: LogRecord): EventOf<'Rejected'> | EventOf<'OrderKilled'> | undefined {
  return events.find((event) => event.type === 'Rejected' || event.type === 'OrderKilled');
}

/** @param expected a refusal that is none to the house */
async function submitAccepted({ exchange }: Services, command: Command, expected?: RejectionName): Promise<void> {
  const refusal = refusalOf(await exchange.submit(encodeCommand(command)));
  const name = refusal && rejectionName(refusal.code);
  if (name !== undefined && name !== expected) throw new HouseRefused(`${command.type} was refused: ${name}`);
}

function callerOf({ secret }: Services, owner: string, generation: number): Caller {
  const { apiKey } = deriveCredentials(secret, { kind: ApiKeyKind.TRADING, owner, nonce: NONCE, generation });
  return { owner, apiKey, keyId: requireKeyId(apiKey) };
}

/** The account's API key: the one that it has, or a new one. */
async function openKey(services: Services, owner: string): Promise<Caller> {
  const latest = services.views.keys.latest(owner, NONCE, ApiKeyKind.TRADING);
  if (latest?.isActive === true) return { owner, apiKey: latest.apiKey, keyId: latest.keyId };
  const generation = latest === undefined ? 0 : latest.generation + 1;
  const caller = callerOf(services, owner, generation);
  const items = walletsOfOwner(owner, services.wallets);
  const { keyId } = caller;
  await submitAccepted(services, {
    ...{ type: 'CreateApiKey', owner, keyId, nonce: NONCE, generation, kind: ApiKeyKind.TRADING, items },
  });
  return caller;
}

/**
 * Deposits what the account is short of: everything at first, nothing as long as enough is left. Once all that may ever be
 * deposited has been, it trades with what it has.
 */
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

/** Cancels all that an account still has in the books, from an earlier start. */
async function cancelAll(services: Services, { owner, keyId }: Caller): Promise<void> {
  if (!hasOpenOrders(services, owner)) return;
  await services.exchange.submit(encodeCommand({ type: 'CancelAll', owner, keyId }));
}

/** Opens an account, or takes over what it has: its key, its money, and nothing in the books. @throws HouseRefused */
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

/** Makes the account's key anew if somebody has deleted it. @throws HouseRefused, StorageUnavailable */
export async function renewKey(services: Services, account: HouseAccount): Promise<void> {
  account.caller = await openKey(services, account.address);
}

/**
 * Takes out of the books what an earlier start of the house left there, for a start without it.
 * @returns how many orders that were
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

/** The body that a client would post, signed; encoded by the intake of posted orders. @throws BadRequest as it does */
export function encodeOrder(
  services: Services,
  { address, privateKey, caller }: HouseAccount,
  order: HouseOrder,
): Uint8Array {
  const { market, outcome, side, pips, lots, orderType, postOnly, salt } = order;
  const asked = { side, pips, lots, tickPips: market.terms.tickPips, takesOnly: takesOnly(orderType) };
  const { makerAmount, takerAmount } = clientAmounts(asked);
  const signable: SignableOrder = {
    salt,
    maker: address,
    signer: address,
    tokenId: market.tokens[outcome],
    makerAmount,
    takerAmount,
    side,
    signatureType: 0,
    timestamp: services.exchange.now(),
    metadata: ZERO_BYTES32,
    builder: ZERO_BYTES32,
  };
  const signature = signOrder(signable, privateKey, services.orderHasher.domain(market.negRisk));
  const posted = {
    ...signable,
    makerAmount: String(makerAmount),
    takerAmount: String(takerAmount),
    side: sideText(side),
    timestamp: String(signable.timestamp),
    expiration: '0',
    signature,
  };
  const body = { order: posted, owner: caller.apiKey, orderType: orderTypeText(orderType), postOnly };
  return intakeOrder(body, caller, services).bytes;
}
