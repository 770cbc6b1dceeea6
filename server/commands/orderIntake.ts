// Turns a parsed order into the bytes of its command. Checks owner, version, token, signer and wallet, then signature, in
// this order; the first failure is the answer. Called by the trading routes for every order, in three steps with a wait for
// the signer before the last, and by the house in one go. It reads the views and submits nothing; every check from "type
// and expiration" on is the core's.
import {
  COMMAND_AT,
  COMMAND_HEADER_BYTES,
  commandLayouts,
  dataViewOf,
  OrderFlag,
  type OrderType,
  PROTOCOL_VERSION,
  takesOnly,
  writeHexOrThrow,
} from '../../engine/index.ts';
import type { Caller } from '../auth/caller.ts';
import { bytesToHex } from '../auth/hex.ts';
import { SignatureType } from '../auth/orderDigest.ts';
import { plainSignatureOf, verifyOrderSignature } from '../auth/orderSignature.ts';
import type { RecoveryJob } from '../auth/recoverers.ts';
import type { Services } from '../services.ts';
import type { TokenPlace } from '../views/index.ts';
import { orderTailText } from '../views/storedOrders.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { type PostedOrder, parsePostedOrder, type SignedOrder } from '../wire/orderRequests.ts';
import { isSignedForOtherVersion } from './orderVersion.ts';
import { checkOwned } from './ownerWallets.ts';

/** A command ready to submit, and the facts that its replies need. */
export interface PlacementCommand {
  /** Valid until the next call encodes an order. Submit them at once (the exchange copies them). */
  readonly bytes: Uint8Array;
  readonly orderId: string;
  readonly owner: string;
  readonly maker: string;
  readonly tokenId: string;
  readonly side: number;
  readonly orderType: OrderType;
}

const NOT_ITS_OWNER = 'the order owner has to be the owner of the API KEY';
const NOT_ITS_SIGNER = 'the order signer address has to be the address of the API KEY';
const OTHER_VERSION = 'order_version_mismatch: this exchange accepts orders of version 2, see GET /version';

/** An order whose owner, token and wallet have been checked; its signature has not. */
interface UnverifiedOrder {
  readonly posted: PostedOrder;
  readonly caller: Caller;
  readonly place: TokenPlace;
  readonly isBound: boolean;
}

/** An unverified order with its id, while its signer is being recovered. */
export interface StartedCheck extends UnverifiedOrder {
  readonly digest: Uint8Array;
  /** Undefined if no recovery was started. */
  readonly job: RecoveryJob | undefined;
}

/**
 * Checks a posted order and encodes its command.
 * @param body the parsed JSON of one order
 * @throws BadRequest with the answer of the first check that fails
 */
export function intakeOrder(body: unknown, caller: Caller, services: Services): PlacementCommand {
  const unverified = checkOrder(parsePostedOrder(body), caller, services);
  const digest = services.orderHasher.digest(unverified.posted.order, unverified.place.market.negRisk);
  return placementOf({ ...unverified, digest, job: undefined }, services);
}

/** The first step, for a parsed order: every check before the signature's. */
export function checkOrder(
  posted: ReturnType<typeof parsePostedOrder>,
  caller: Caller,
  services: Services,
): UnverifiedOrder {
  if (posted.ownerApiKey !== caller.apiKey) throw new BadRequest(NOT_ITS_OWNER);
  if ('isOtherVersion' in posted) throw new BadRequest(OTHER_VERSION);
  const place = findToken(posted.order, services);
  const isBound = checkWallet(posted.order, caller.owner, services);
  return { posted, caller, place, isBound };
}

function findToken({ tokenId, conditionId }: SignedOrder, { views }: Services): TokenPlace {
  const place = views.markets.byToken(tokenId);
  if (place === undefined) throw new BadRequest(`Invalid token id: no market has the token ${tokenId}`);
  if (conditionId !== undefined && conditionId !== place.market.conditionId) {
    throw new BadRequest(
      `Invalid order payload: order.conditionId must be ${place.market.conditionId}, the market of the token`,
    );
  }
  return place;
}

/**
 * Checks that the order trades from a wallet of the caller and names the right signer (wire.md B.3, B.3a).
 * @returns whether the wallet is the owner's by an operator's binding, which the registry checks again later
 */
function checkWallet(order: SignedOrder, owner: string, services: Services): boolean {
  const { maker, signer, signatureType } = order;
  if (signatureType !== SignatureType.DEPOSIT && signer !== owner) throw new BadRequest(NOT_ITS_SIGNER);
  if (signatureType === SignatureType.DEPOSIT && maker !== signer) {
    throw new BadRequest('the order signer address has to be the maker address for signature type 3');
  }
  return checkOwned(services, owner, { wallet: maker, signatureType }, 'maker address not allowed');
}

/** The second step: computes the order's digest and starts the recovery of its signer, which is done by the order's turn. */
export function startCheck(unverified: UnverifiedOrder, services: Services): StartedCheck {
  const { posted, caller, place, isBound } = unverified;
  const { order } = posted;
  const digest = services.orderHasher.digest(order, place.market.negRisk);
  // A contract wallet's signature wraps another digest; its own check recovers the signer.
  const signature = order.signatureType === SignatureType.DEPOSIT ? undefined : plainSignatureOf(order.signature);
  const job = signature === undefined ? undefined : services.recoverers.add(digest, signature);
  return { posted, caller, place, isBound, digest, job };
}

/** The third step: checks that the owner signed, and encodes the command, which must be submitted at once. */
export function placementOf(started: StartedCheck, services: Services): PlacementCommand {
  const { posted, caller, digest } = started;
  const { order, orderType } = posted;
  requireSigned(started, services);
  const bytes = encodePlaceOrder(started);
  const { maker, tokenId, side } = order;
  return { bytes, orderId: bytesToHex(digest), owner: caller.owner, maker, tokenId, side, orderType };
}

function requireSigned({ posted, caller, place, digest, job }: StartedCheck, services: Services): void {
  const { order } = posted;
  const domain = services.orderHasher.domain(place.market.negRisk);
  const recover = job === undefined ? undefined : () => job.signer;
  const check = verifyOrderSignature(order, digest, order.signature, domain, recover);
  if (check.ok && check.signer === caller.owner) return;
  if (isSignedForOtherVersion(order, caller.owner, services.contracts.chainId)) throw new BadRequest(OTHER_VERSION);
  throw new BadRequest('invalid signature');
}

const PLACE = commandLayouts.PlaceOrder;
const AT = PLACE.offsets;
const TAIL_AT = COMMAND_HEADER_BYTES + PLACE.headBytes;

/** Room for the longest command: the longest signature and all other texts of a tail. */
const scratch = Buffer.alloc(8_192);
const scratchView = dataViewOf(scratch);

function flagsOf(postOnly: boolean, isBound: boolean, orderType: OrderType): number {
  return (
    (postOnly ? OrderFlag.POST_ONLY : 0) |
    (isBound ? OrderFlag.BOUND_WALLET : 0) |
    (takesOnly(orderType) ? OrderFlag.CLIENT_ACCURACY : 0)
  );
}

/**
 * Writes the command's bytes at the layout's offsets; the codec's lookup by names would cost several times more. One buffer
 * serves all orders, since allocating one costs as much as filling it.
 */
function encodePlaceOrder({ posted, caller, place, digest, isBound }: StartedCheck): Uint8Array {
  const { order, orderType, postOnly } = posted;
  const { owner, keyId } = caller;
  const { market, outcome } = place;
  const tail = orderTailText(order); // ASCII throughout: one byte a character
  const bytes = scratch;
  const view = scratchView;
  bytes[COMMAND_AT.version] = PROTOCOL_VERSION;
  bytes[COMMAND_AT.type] = PLACE.type;
  view.setUint32(COMMAND_AT.tailBytes, tail.length, true);
  bytes.set(digest, AT.orderId);
  writeHexOrThrow(keyId, bytes, AT.keyId, 16);
  writeHexOrThrow(order.maker, bytes, AT.maker, 20);
  writeHexOrThrow(owner, bytes, AT.owner, 20);
  view.setUint32(AT.marketIndex, market.index, true);
  bytes[AT.outcome] = outcome;
  bytes[AT.side] = order.side;
  bytes[AT.orderType] = orderType;
  bytes[AT.flags] = flagsOf(postOnly, isBound, orderType);
  view.setFloat64(AT.makerAmountMicro, order.makerAmount, true);
  view.setFloat64(AT.takerAmountMicro, order.takerAmount, true);
  view.setFloat64(AT.timestampMs, order.timestamp, true);
  view.setFloat64(AT.expirationS, order.expiration, true);
  bytes.write(tail, TAIL_AT, 'latin1');
  return bytes.subarray(0, TAIL_AT + tail.length);
}
