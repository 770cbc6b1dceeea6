// The wallets besides itself that a key can trade from: addresses that CREATE2 derives from it (wire.md B.3a). Called for
// every order and balance query, so results are cached. Nothing is ever bound here: a wallet belongs to a key by derivation
// alone, or by an admin's binding that is stored elsewhere.
import { memoizeRecent } from '../lib/memoize.ts';
import { bytesToHex, requireHex } from './hex.ts';
import { keccak256 } from './keccak.ts';

/** The origin of a wallet. The two deposit forms share one signature type. */
export type WalletForm = 'eoa' | 'proxy' | 'safe' | 'depositBeacon' | 'depositUups';

/** The derived wallets of a key, lower-case 0x addresses. */
export type DerivedWallets = {
  readonly proxy: string;
  readonly safe: string;
  readonly depositBeacon: string;
  readonly depositUups: string;
};

/** The contracts that determine the addresses; 0x texts. A venue with its own factories overrides them. */
export type WalletConstants = {
  readonly proxyFactory: string;
  readonly proxyInitCodeHash: string;
  readonly safeFactory: string;
  readonly safeInitCodeHash: string;
  readonly depositFactory: string;
  readonly depositBeacon: string;
  readonly depositImplementation: string;
};

/** The same values on chains 137 and 80002 (wire.md B.3a). */
export const WALLET_CONSTANTS: WalletConstants = {
  proxyFactory: '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052',
  proxyInitCodeHash: '0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b',
  safeFactory: '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b',
  safeInitCodeHash: '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf',
  depositFactory: '0x00000000000Fb5C9ADea0298D729A0CB3823Cc07',
  depositBeacon: '0x7A18EDfe055488A3128f01F563e5B479D92ffc3a',
  depositImplementation: '0x58CA52ebe0DadfdF531Cde7062e76746de4Db1eB',
};

// Minimal ERC-1967 proxies with immutable arguments: the code before and after the 20-byte address that they point to. The
// push at the start carries the length of the runtime: the code itself and 64 bytes of arguments.
const BEACON_RUNTIME_BYTES = 0x52;
const UUPS_RUNTIME_BYTES = 0x3d;
const ARGUMENT_BYTES = 64;
const AFTER_PUSH = requireHex('0x3d8160233d3973', 7, 'The code after the push');
const AFTER_BEACON = requireHex(
  '0x60195155f3363d3d373d3d363d602036600436635c60da' +
    '1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6c' +
    'b3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3',
  87,
  'The code after the beacon',
);
const AFTER_IMPLEMENTATION = requireHex(
  '0x6009' +
    '5155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076' +
    'cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  66,
  'The code after the implementation',
);

function pushOfRuntime(runtimeBytes: number): Uint8Array {
  const lengthBytes = ARGUMENT_BYTES + runtimeBytes;
  return Uint8Array.of(0x61, lengthBytes >> 8, lengthBytes & 0xff);
}

/** The last 20 bytes of keccak256(0xff ‖ factory ‖ salt ‖ init code hash), EIP-1014. */
function create2Address(factory: Uint8Array, salt: Uint8Array, initCodeHash: Uint8Array): string {
  return bytesToHex(keccak256(Buffer.concat([Uint8Array.of(0xff), factory, salt, initCodeHash])).subarray(12));
}

function leftPad32(address: Uint8Array): Uint8Array {
  const padded = new Uint8Array(32);
  padded.set(address, 12);
  return padded;
}

/** Derivation of wallets under one set of constants. */
export type WalletDeriver = {
  /** The four wallets of a key. @throws TypeError if `eoa` is not an address. */
  readonly derivedWallets: (eoa: string) => DerivedWallets;
  /** The form in which `wallet` belongs to the key, letter case ignored; undefined if it does not. */
  readonly walletType: (eoa: string, wallet: string) => WalletForm | undefined;
};

const OWNERS_KEPT_MAX = 16_384;

/**
 * A deriver that caches its results for the most recently requested keys.
 * @throws TypeError naming the constant that is not hex of its length
 */
export function walletDeriver(
  constants: WalletConstants = WALLET_CONSTANTS,
  ownersKeptMax: number = OWNERS_KEPT_MAX,
): WalletDeriver {
  const derived = memoizeRecent(ownersKeptMax, derivation(constants));
  const derivedWallets = (eoa: string): DerivedWallets => derived(eoa.toLowerCase());

  const walletType = (eoa: string, wallet: string): WalletForm | undefined => {
    const address = wallet.toLowerCase();
    if (address === eoa.toLowerCase()) return 'eoa';
    const wallets = derivedWallets(eoa);
    if (address === wallets.proxy) return 'proxy';
    if (address === wallets.safe) return 'safe';
    if (address === wallets.depositBeacon) return 'depositBeacon';
    if (address === wallets.depositUups) return 'depositUups';
    return undefined;
  };

  return { derivedWallets, walletType };
}

/** The uncached derivation; its constants are decoded once. */
function derivation(constants: WalletConstants): (eoa: string) => DerivedWallets {
  const proxyFactory = requireHex(constants.proxyFactory, 20, 'proxyFactory');
  const proxyInitCodeHash = requireHex(constants.proxyInitCodeHash, 32, 'proxyInitCodeHash');
  const safeFactory = requireHex(constants.safeFactory, 20, 'safeFactory');
  const safeInitCodeHash = requireHex(constants.safeInitCodeHash, 32, 'safeInitCodeHash');
  const depositFactory = requireHex(constants.depositFactory, 20, 'depositFactory');
  const beacon = requireHex(constants.depositBeacon, 20, 'depositBeacon');
  const implementation = requireHex(constants.depositImplementation, 20, 'depositImplementation');
  const beaconCode = Buffer.concat([pushOfRuntime(BEACON_RUNTIME_BYTES), AFTER_PUSH, beacon, AFTER_BEACON]);
  const uupsCode = Buffer.concat([pushOfRuntime(UUPS_RUNTIME_BYTES), AFTER_PUSH, implementation, AFTER_IMPLEMENTATION]);

  return (eoa) => {
    const owner = requireHex(eoa, 20, 'The owner');
    const depositArguments = Buffer.concat([leftPad32(depositFactory), leftPad32(owner)]);
    const depositSalt = keccak256(depositArguments);
    const deposit = (code: Uint8Array): string =>
      create2Address(depositFactory, depositSalt, keccak256(Buffer.concat([code, depositArguments])));
    return {
      proxy: create2Address(proxyFactory, keccak256(owner), proxyInitCodeHash),
      safe: create2Address(safeFactory, keccak256(leftPad32(owner)), safeInitCodeHash),
      depositBeacon: deposit(beaconCode),
      depositUups: deposit(uupsCode),
    };
  };
}
