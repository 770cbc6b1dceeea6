// The chain table: stock addresses, overrides, chains without stock addresses.
// The addresses themselves are facts of the venue's protocol, checked by the order vectors.
import { expect, test } from 'vitest';
import { chainContracts, isLiveVenuesChain, STOCK_CHAINS, spendersOf } from '../../server/auth/contracts.ts';
import { isAddress } from '../../server/auth/hex.ts';
import { EXCHANGE, NEG_RISK_EXCHANGE } from './vectors.ts';

const OTHER = '0x1111111111111111111111111111111111111111';

test('chains 137 and 80002 have stock addresses', () => {
  for (const chainId of [137, 80002]) {
    const contracts = chainContracts(chainId);
    expect(contracts.exchange).toBe(EXCHANGE.toLowerCase());
    expect(contracts.negRiskExchange).toBe(NEG_RISK_EXCHANGE.toLowerCase());
  }
  for (const { chainId, ...addresses } of STOCK_CHAINS) {
    expect([137, 80002]).toContain(chainId);
    for (const address of Object.values(addresses)) {
      expect(isAddress(address)).toBe(true);
      expect(address).toBe(address.toLowerCase());
    }
  }
});

test('an address can be overridden in any letter case, and a malformed one throws', () => {
  const given = `0x${'Ab'.repeat(20)}`;
  expect(chainContracts(137, { collateral: given })).toEqual({
    ...chainContracts(137),
    collateral: given.toLowerCase(),
  });
  expect(() => chainContracts(137, { exchange: '0x12' })).toThrow(/address of exchange must be 0x and 40 hex digits/);
});

test('a chain without stock addresses needs every address, and invalid chain ids throw', () => {
  expect(() => chainContracts(31337, { exchange: OTHER })).toThrow(
    /Chain 31337 needs addresses for negRiskExchange, collateral/,
  );
  const { chainId: _, ...addresses } = chainContracts(137);
  expect(chainContracts(31337, addresses)).toEqual({ chainId: 31337, ...addresses });
  for (const chainId of [0, -1, 1.5, Number.NaN]) expect(() => chainContracts(chainId)).toThrow(/is not a chain id/);
});

test('a venue with an adapter of its own names no other one as a spender', () => {
  const { exchange, negRiskExchange } = chainContracts(137);
  expect(spendersOf(chainContracts(137))).toHaveLength(4);
  const own = chainContracts(137, { negRiskAdapter: OTHER });
  expect(spendersOf(own)).toEqual([exchange, negRiskExchange, OTHER]);
});

test("chain 137 is the live venue's, whatever the contracts", () => {
  expect(isLiveVenuesChain(chainContracts(137))).toBe(true);
  expect(isLiveVenuesChain(chainContracts(137, { exchange: OTHER, negRiskExchange: OTHER }))).toBe(true);
  expect(isLiveVenuesChain(chainContracts(80002))).toBe(false);
});
