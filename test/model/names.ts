// The names in the model tests: eight owners with several wallets and keys each, and the ids of orders and markets, as
// readable names and as the fixed-width texts that commands carry. Used by generator, notation and scenarios.

/** Addresses of the two accounts that exist from the start. */
export const FEES_WALLET = `0x${'0'.repeat(39)}1`;
export const HOUSE_WALLET = `0x${'0'.repeat(39)}2`;

/** Time at which every scenario and every generated sequence starts (ms since the epoch). */
export const TIME_ZERO_MS = 1_700_000_000_000;

export const ownerNames = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'] as const;
/** Further owners, known only to the simulation: as many as there are addresses left. */
export const guestNames: readonly string[] = Array.from({ length: 88 }, (_, guest) => `guest${guest}`);

/** A number in hexadecimal, padded with zeros. */
export const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Address of an owner's wallet; wallet 0 is the owner's own address. */
export const walletOf = (ownerIndex: number, walletNumber: number): string =>
  `0x${hex(0xa0 + ownerIndex, 2)}${hex(walletNumber, 4)}${'5'.repeat(34)}`;

export const keyOf = (ownerIndex: number, keyNumber: number): string =>
  `0x${hex(0xa0 + ownerIndex, 2)}${hex(keyNumber, 4)}${'7'.repeat(26)}`;

/** Keys of an owner, by its address. */
export function keysOf(owner: string): readonly string[] {
  if (owner === HOUSE_WALLET) return [beatOf(0x4000)];
  if (owner === FEES_WALLET) return [beatOf(0x4001)];
  const ownerIndex = indexOfOwner(owner);
  return [keyOf(ownerIndex, 0), keyOf(ownerIndex, 1)];
}

/** The index from which the address of an owner with a name was made. */
export const indexOfOwner = (owner: string): number => Number.parseInt(owner.slice(2, 4), 16) - 0xa0;

/** Order id number `label`: well mixed like a real digest, with the label in its last digits. */
export function orderIdOf(label: number): string {
  const words = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f].map((odd) => Math.imul(label + 1, odd) >>> 0);
  return `0x${words.map((word) => hex(word, 8)).join('')}${hex(label, 32)}`;
}

/** Heartbeat id number `label`; 0 is "none". */
export const beatOf = (label: number): string => `0x${hex(label, 32)}`;

/** The number from which an order or heartbeat id was made. */
export const labelOf = (id: string): number => Number.parseInt(id.slice(-12), 16);

/** Condition and token ids of the market number `index`. */
export const marketIds = (
  index: number,
): { readonly conditionId: string; readonly firstToken: string; readonly secondToken: string } => ({
  conditionId: `0x${'c0'.repeat(28)}${hex(index, 8)}`,
  firstToken: `0x${'01'.repeat(28)}${hex(index, 8)}`,
  secondToken: `0x${'02'.repeat(28)}${hex(index, 8)}`,
});

const nameOfAddress = new Map<string, string>([
  [FEES_WALLET, 'FEES'],
  [HOUSE_WALLET, 'HOUSE'],
]);
const addressOfName = new Map<string, string>([
  ['FEES', FEES_WALLET],
  ['HOUSE', HOUSE_WALLET],
]);
const ownerOfName = new Map<string, string>(addressOfName);
const keyByName = new Map<string, string>();
const nameOfKey = new Map<string, string>();
for (const [ownerIndex, owner] of [...ownerNames, ...guestNames].entries()) {
  for (let number = 0; number < 10; number += 1) {
    const name = number === 0 ? owner : `${owner}/${number}`;
    nameOfAddress.set(walletOf(ownerIndex, number), name);
    addressOfName.set(name, walletOf(ownerIndex, number));
    ownerOfName.set(name, walletOf(ownerIndex, 0));
  }
  for (let number = 0; number < 30; number += 1) {
    keyByName.set(`${owner}:${number}`, keyOf(ownerIndex, number));
    nameOfKey.set(keyOf(ownerIndex, number), `${owner}:${number}`);
  }
}
keyByName.set('HOUSE:0', beatOf(0x4000));
nameOfKey.set(beatOf(0x4000), 'HOUSE:0');
keyByName.set('FEES:0', beatOf(0x4001));
nameOfKey.set(beatOf(0x4001), 'FEES:0');

function known(table: ReadonlyMap<string, string>, key: string, what: string): string {
  const value = table.get(key);
  if (value === undefined) throw new Error(`notation: ${JSON.stringify(key)} is no ${what}`);
  return value;
}

/** Address by a wallet's name: `alice` is the owner's own, `alice/2` another of hers. Throws on an unknown name. */
export const addressNamed = (name: string): string => known(addressOfName, name, 'wallet');
/** Address of the owner to which a wallet's name belongs. */
export const ownerNamed = (name: string): string => known(ownerOfName, name, 'wallet');
/** Key id by a key's name, such as `alice:0`. */
export const keyNamed = (name: string): string => known(keyByName, name, 'key');
/** Name of an address, or the address itself. */
export const nameOf = (address: string): string => nameOfAddress.get(address) ?? address;
export const keyNameOf = (keyId: string): string => nameOfKey.get(keyId) ?? keyId;
