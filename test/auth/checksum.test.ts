// The letter case of addresses compared with viem's, which is what bots print: random addresses, and those of the
// contracts, from the cache too.
import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { checksumAddress } from '../../server/auth/checksum.ts';
import { STOCK_CHAINS } from '../../server/auth/contracts.ts';
import { asHex } from './orders.ts';

test('addresses get the same EIP-55 letter case as in viem, also on repeated calls', () => {
  const random = Array.from({ length: 500 }, () => `0x${randomBytes(20).toString('hex')}`);
  const known = STOCK_CHAINS.flatMap(({ exchange, negRiskExchange, negRiskAdapter }) => [
    exchange,
    negRiskExchange,
    negRiskAdapter,
  ]);
  for (const address of [...random, ...known, ...random]) {
    expect(checksumAddress(address)).toBe(getAddress(asHex(address)));
  }
});
