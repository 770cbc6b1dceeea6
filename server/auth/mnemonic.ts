// The wallets of the well-known development mnemonic that Hardhat and Anvil also use: the ten that dev/wallets.ts prints, and
// those of the house. Their keys are public: production must never credit or accept them by default.
import { pbkdf2Sync } from 'node:crypto';
import { HDKey } from 'viem/accounts';
import { bytesToHex } from './hex.ts';
import { addressOfPrivateKey } from './secp256k1.ts';

/** A key pair: 0x private key of 32 bytes, lower-case 0x address. */
export type KeyPair = { readonly privateKey: string; readonly address: string };

/** Known to every Ethereum developer; never a secret. */
const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk';

/** Accounts below this index are the printed wallets, which are cached once derived. */
const CACHED_COUNT = 10;
const CHILD_INDEX_LIMIT = 0x80000000;

/** The parent of all development wallets (BIP-44), made when the first one is requested. */
let branch: HDKey | undefined;
const cached: (KeyPair | undefined)[] = new Array(CACHED_COUNT).fill(undefined);

/**
 * The parent key of the mnemonic's Ethereum accounts. The seed (BIP-39, without a passphrase) comes from Node's own PBKDF2:
 * viem's `mnemonicToAccount` does its 2,048 rounds in JavaScript, 0.2 s of every start in development in place of 0.07.
 */
function accountsBranch(): HDKey {
  return HDKey.fromMasterSeed(pbkdf2Sync(DEVELOPMENT_MNEMONIC, 'mnemonic', 2048, 64, 'sha512')).derive(
    "m/44'/60'/0'/0",
  );
}

/**
 * Account m/44'/60'/0'/0/index of the development mnemonic.
 * @throws RangeError unless the index is a whole number from 0 to 2^31 − 1
 */
export function developmentWallet(index: number): KeyPair {
  if (!Number.isInteger(index) || index < 0 || index >= CHILD_INDEX_LIMIT) {
    throw new RangeError(`The index of a development wallet must be from 0 to ${CHILD_INDEX_LIMIT - 1}, not ${index}.`);
  }
  const known = cached[index];
  if (known !== undefined) return known;
  branch ??= accountsBranch();
  const key = branch.deriveChild(index).privateKey;
  // BIP-32 derivation fails with a probability of 2^-127 an index, which does not occur for known mnemonics.
  if (key === null || key === undefined) throw new Error(`The development wallet ${index} has no private key.`);
  const wallet: KeyPair = { privateKey: bytesToHex(key), address: addressOfPrivateKey(key) };
  if (index < CACHED_COUNT) cached[index] = wallet;
  return wallet;
}
