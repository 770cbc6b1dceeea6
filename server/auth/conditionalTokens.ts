// Ids of conditions and outcome tokens, computed like the contracts of the conditional-token framework (ConditionalTokens,
// CTHelpers), so a market made here has the ids that it would have on chain. Called when a market is created; BigInt is
// acceptable on so rare a path. It must never be called for an order: markets carry their token ids.
import { pow } from '@noble/curves/abstract/modular.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { bytesToHex, requireHex } from './hex.ts';
import { keccak256 } from './keccak.ts';

/** Outcome slots of a market here: always two. */
const OUTCOME_SLOTS = numberToBytesBE(2n, 32);

/** The field prime of the curve alt_bn128, y² = x³ + 3. */
const FIELD_PRIME = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const CURVE_B = 3n;
/** p ≡ 3 (mod 4), so the square root of a residue is its power (p + 1) / 4. */
const ROOT_EXPONENT = (FIELD_PRIME + 1n) / 4n;

/**
 * keccak256(oracle ‖ question id ‖ 2): the condition's id, lower-case 0x and 64 digits.
 * @throws TypeError if the oracle is not an address or the question id not 32 bytes
 */
export function conditionId(oracle: string, questionId: string): string {
  const oracleBytes = requireHex(oracle, 20, 'The oracle');
  const questionBytes = requireHex(questionId, 32, 'The question id');
  return bytesToHex(keccak256(Buffer.concat([oracleBytes, questionBytes, OUTCOME_SLOTS])));
}

/**
 * The collection of one outcome (0 or 1) of a condition without a parent collection: a point on alt_bn128 found by
 * counting x up from a hash until x³ + 3 is a square; the hash's top bit picks the root's parity, and an odd y is
 * marked in bit 254. 32 bytes. @throws TypeError if the condition id is not 32 bytes
 */
function collectionId(condition: string, outcomeIndex: 0 | 1): Uint8Array {
  const conditionBytes = requireHex(condition, 32, 'The condition id');
  const indexSet = numberToBytesBE(outcomeIndex === 0 ? 1 : 2, 32);
  const hash = bytesToNumberBE(keccak256(Buffer.concat([conditionBytes, indexSet])));
  const wantsOdd = hash >> 255n === 1n;
  let x = hash;
  let y: bigint;
  let square: bigint;
  do {
    x = (x + 1n) % FIELD_PRIME;
    square = (x * x * x + CURVE_B) % FIELD_PRIME;
    y = pow(square, ROOT_EXPONENT, FIELD_PRIME);
  } while ((y * y) % FIELD_PRIME !== square);
  if (((y & 1n) === 1n) !== wantsOdd) y = FIELD_PRIME - y;
  return numberToBytesBE((y & 1n) === 1n ? x ^ (1n << 254n) : x, 32);
}

/** keccak256(collateral ‖ collection id) as a decimal: the token's id. @throws TypeError on a malformed collateral. */
function positionId(collateral: string, collection: Uint8Array): string {
  const collateralBytes = requireHex(collateral, 20, 'The collateral');
  return bytesToNumberBE(keccak256(Buffer.concat([collateralBytes, collection]))).toString();
}

/** The two token ids of a condition, decimal texts, first outcome first. @throws TypeError on malformed input. */
export function tokenIds(collateral: string, condition: string): readonly [string, string] {
  return [positionId(collateral, collectionId(condition, 0)), positionId(collateral, collectionId(condition, 1))];
}
