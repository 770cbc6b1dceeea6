// Addresses in the letter case of EIP-55, as libraries of wallets print them and production shows them in orders, trades,
// allowances and rewards. Called where these are rendered; inside, every address is in lower case. Results are cached,
// bounded, since a trader's records name the same few wallets again and again.
import { keccak256Text } from './keccak.ts';

const ADDRESSES_CACHED_MAX = 65_536;
const cache = new Map<string, string>();

/** @param address 0x and 40 hex digits in lower case */
export function checksumAddress(address: string): string {
  let shown = cache.get(address);
  if (shown !== undefined) return shown;
  const digits = address.slice(2);
  const hash = keccak256Text(digits);
  shown = '0x';
  for (let index = 0; index < digits.length; index += 1) {
    const nibble = index % 2 === 0 ? hash[index >> 1] >> 4 : hash[index >> 1] & 15;
    shown += nibble > 7 ? digits[index].toUpperCase() : digits[index];
  }
  if (cache.size >= ADDRESSES_CACHED_MAX) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      break;
    }
  }
  cache.set(address, shown);
  return shown;
}
