// Addresses in EIP-55 letter case, as wallet libraries print them and production shows them in orders, trades, allowances
// and rewards. Called where these are rendered; internally every address is lower case. Results are cached, since a
// trader's records repeat the same few wallets.
import { memoizeRecent } from '../lib/memoize.ts';
import { keccak256Text } from './keccak.ts';

const ADDRESSES_KEPT_MAX = 65_536;

function withCase(address: string): string {
  const digits = address.slice(2);
  const hash = keccak256Text(digits);
  let shown = '0x';
  for (let index = 0; index < digits.length; index += 1) {
    const nibble = index % 2 === 0 ? hash[index >> 1] >> 4 : hash[index >> 1] & 15;
    shown += nibble > 7 ? digits[index].toUpperCase() : digits[index];
  }
  return shown;
}

/** The checksummed form of 0x and 40 lower-case hex digits. */
export const checksumAddress = memoizeRecent(ADDRESSES_KEPT_MAX, withCase);
