// Reads balance queries and writes their replies (wire.md C.6). Called by the routes of balances and by others whose
// requests name a wallet by its signature type. The routes, not this file, decide which wallet that is.
import { tokenNumber } from '../../engine/index.ts';
import { checksumAddress } from '../auth/checksum.ts';
import { SIGNATURE_TYPES, type SignatureType } from '../auth/orderDigest.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import type { Account } from '../views/index.ts';
import { BadRequest } from './badRequest.ts';

/** A parsed balance query. */
interface BalanceQuery {
  readonly isCollateral: boolean;
  /** '' for collateral. */
  readonly tokenId: string;
  readonly signatureType: SignatureType;
}

/** The parameter `signature_type`, 0 when it is missing. @throws BadRequest `Invalid signature_type` */
export function readSignatureType(query: URLSearchParams): SignatureType {
  const text = query.get('signature_type') || '0';
  const signatureType = SIGNATURE_TYPES.find((type) => String(type) === text);
  if (signatureType === undefined) throw new BadRequest('Invalid signature_type');
  return signatureType;
}

/** @throws BadRequest for a bad asset type, signature type or token id */
export function readBalanceQuery(query: URLSearchParams): BalanceQuery {
  const assetType = query.get('asset_type') ?? 'COLLATERAL';
  if (assetType !== 'COLLATERAL' && assetType !== 'CONDITIONAL') throw new BadRequest('Invalid asset type');
  const signatureType = readSignatureType(query);
  const isCollateral = assetType === 'COLLATERAL';
  const tokenId = isCollateral ? '' : (query.get('token_id') ?? '');
  if (!isCollateral && !isUint256Decimal(tokenId)) throw new BadRequest('Invalid token id');
  return { isCollateral, tokenId, signatureType };
}

const UINT256_MAX = (2n ** 256n - 1n).toString();

/**
 * The reply of GET /balance-allowance: the balance in whole micro, and an unlimited allowance for each of the exchange's
 * contracts.
 */
export function balanceReply(balanceMicro: number, spenders: readonly string[]): string {
  const allowances = Object.fromEntries(spenders.map((spender) => [checksumAddress(spender), UINT256_MAX]));
  return JSON.stringify({ balance: String(balanceMicro), allowances });
}

/** An account's shares of a token, in micro; 0 without an account. */
export function balanceOf(account: Account | undefined, marketIndex: number, outcome: number): number {
  return account?.sharesMicro.get(tokenNumber(marketIndex, outcome)) ?? 0;
}
