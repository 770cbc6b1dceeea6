// The derived wallets of a key against published addresses; the bounded cache; overridden constants. A wrong address here
// would let one owner trade from another's wallet.

import { getCreate2Address, keccak256, pad } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { WALLET_CONSTANTS, walletDeriver } from '../../server/auth/wallets.ts';
import { asHex } from './orders.ts';
import { ADDRESS_0, ADDRESS_1, KEY_0, WALLETS } from './vectors.ts';

const { derivedWallets, walletType } = walletDeriver();

describe('published wallets', () => {
  for (const { eoa, proxy, safe, depositBeacon, depositUups } of WALLETS) {
    test(`of ${eoa}`, () => {
      const expected = {
        proxy: proxy.toLowerCase(),
        safe: safe.toLowerCase(),
        depositBeacon: depositBeacon.toLowerCase(),
        depositUups: depositUups.toLowerCase(),
      };
      expect(derivedWallets(eoa)).toEqual(expected);
      expect(derivedWallets(eoa.toLowerCase())).toEqual(expected);
      expect(walletType(eoa, eoa.toLowerCase())).toBe('eoa');
      expect(walletType(eoa, proxy)).toBe('proxy');
      expect(walletType(eoa, safe)).toBe('safe');
      expect(walletType(eoa, depositBeacon)).toBe('depositBeacon');
      expect(walletType(eoa, depositUups)).toBe('depositUups');
    });
  }

  test('a wallet of another key has no wallet type', () => {
    expect(walletType(ADDRESS_0, WALLETS[1].safe)).toBeUndefined();
    expect(walletType(ADDRESS_0, ADDRESS_1)).toBeUndefined();
    expect(walletType(ADDRESS_0, '')).toBeUndefined();
  });
});

test('a full cache still returns the right wallets', () => {
  const small = walletDeriver(WALLET_CONSTANTS, 2);
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 5; index++) {
      const { address } = developmentWallet(index);
      expect(small.derivedWallets(address)).toEqual(derivedWallets(address));
    }
  }
});

test('an overridden Safe factory changes the Safe address and no other wallet', () => {
  const safeFactory = '0x1111111111111111111111111111111111111111';
  const moved = walletDeriver({ ...WALLET_CONSTANTS, safeFactory }).derivedWallets(ADDRESS_0);
  const stock = derivedWallets(ADDRESS_0);
  expect(moved).toEqual({ ...stock, safe: moved.safe });
  const byViem = getCreate2Address({
    from: safeFactory,
    salt: keccak256(pad(asHex(ADDRESS_0), { size: 32 })),
    bytecodeHash: asHex(WALLET_CONSTANTS.safeInitCodeHash),
  });
  expect(moved.safe).toBe(byViem.toLowerCase());
});

test('errors for malformed owners and constants name the bad value', () => {
  expect(() => derivedWallets('0x12')).toThrow(/The owner must be 0x and 40 hex digits/);
  expect(() => walletDeriver({ ...WALLET_CONSTANTS, depositBeacon: 'none' })).toThrow(/depositBeacon must be 0x/);
});

describe('development wallets', () => {
  test('are those of the well-known mnemonic', () => {
    expect(developmentWallet(0)).toEqual({ privateKey: KEY_0, address: ADDRESS_0.toLowerCase() });
    expect(developmentWallet(1).address).toBe(ADDRESS_1.toLowerCase());
    expect(developmentWallet(0)).toBe(developmentWallet(0));
  });

  test('have the address of their private key at any index', () => {
    for (const index of [9, 10, 1000]) {
      const { privateKey, address } = developmentWallet(index);
      expect(privateKeyToAddress(asHex(privateKey)).toLowerCase()).toBe(address);
    }
  });

  test('throw a RangeError for negative, fractional, NaN or too large indices', () => {
    for (const index of [-1, 0.5, 2 ** 31, Number.NaN]) expect(() => developmentWallet(index)).toThrow(RangeError);
  });
});
