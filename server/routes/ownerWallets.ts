// The wallets of an owner, as routes need them: all that it has by derivation, the one that a signature type means, and
// whose an address is. Called by routes and by development's start. Nothing is ever bound here.
import type { Command } from '../../engine/index.ts';
import type { WalletDeriver, WalletForm } from '../auth/wallets.ts';
import { BadRequest } from '../http/errors.ts';
import type { Services } from '../services.ts';

export type SignatureType = 0 | 1 | 2 | 3;

/** The derived wallets that orders of each signature type trade from. */
export const formsOfType: readonly (readonly WalletForm[])[] = [
  ['eoa'],
  ['proxy'],
  ['safe'],
  ['depositBeacon', 'depositUups'],
];

/** The wallet that a request trades from, and whether it is the owner's by an operator's binding. */
interface ChosenWallet {
  readonly wallet: string;
  readonly isBound: boolean;
}

/** The owner's own address and its four derived wallets: what a first API key credits. */
export function walletsOfOwner(owner: string, deriver: WalletDeriver): readonly string[] {
  const { proxy, safe, depositBeacon, depositUups } = deriver.derivedWallets(owner);
  return [owner, proxy, safe, depositBeacon, depositUups];
}

/**
 * The owner's wallet of a signature type: a bound one first, else the derived one. Of the two deposit forms it is the
 * one whose wallet placed the owner's latest accepted order of that type, before the first the beacon form.
 */
export function walletOfType({ views, wallets }: Services, owner: string, type: SignatureType): ChosenWallet {
  if (type === 0) return { wallet: owner, isBound: false };
  const bound = views.accounts.boundWallet(owner, type);
  if (bound !== undefined) return { wallet: bound, isBound: true };
  const { proxy, safe, depositBeacon, depositUups } = wallets.derivedWallets(owner);
  if (type === 1) return { wallet: proxy, isBound: false };
  if (type === 2) return { wallet: safe, isBound: false };
  const latest = views.accounts.latestDepositWallet(owner);
  return { wallet: latest === depositUups ? depositUups : depositBeacon, isBound: false };
}

/** What an operator may credit: the wallets that are an owner's by now, and those that a key's owner has by derivation. */
export function knownWallets({ views, wallets }: Services, owner: string): readonly string[] {
  const { accounts, keys } = views;
  const used = accounts.walletsOf(owner).map(({ wallet }) => wallet);
  const derived = keys.hasOwner(owner) ? walletsOfOwner(owner, wallets) : [];
  return [...used, ...derived.filter((wallet) => !used.includes(wallet) && !accounts.isBoundToAnother(wallet, owner))];
}

/** The signature type that an owner's wallet trades with: as an operator bound it, else as it is derived; null for neither. */
export function typeOfWallet({ views, wallets }: Services, owner: string, wallet: string): number | null {
  const binding = views.accounts.binding(wallet);
  // A wallet that was claimed by its derivation is bound with type 0.
  if (binding?.owner === owner && binding.signatureType !== 0) return binding.signatureType;
  const form = wallets.walletType(owner, wallet);
  return form === undefined ? null : formsOfType.findIndex((forms) => forms.includes(form));
}

/**
 * Commands that give the owner its derived wallets where money reached them before the owner was known: such an account is
 * its own owner, which no contract wallet can be, and derivation proves whose it is, unless an operator bound it.
 */
export function claimCommands({ views: { accounts }, wallets }: Services, owner: string): readonly Command[] {
  return walletsOfOwner(owner, wallets)
    .filter((wallet) => wallet !== owner && accounts.byWallet(wallet)?.owner === wallet)
    .filter((wallet) => !accounts.isBoundToAnother(wallet, owner))
    .map((wallet) => ({ type: 'BindWallet', owner, wallet, signatureType: 0 }));
}

/**
 * Whose an address is: its account's or binding's owner, else the one whose derived wallet it is known to be, else the one
 * that the operator names, else its own.
 * @param given the EOA behind a wallet that no request used yet; it cannot be found from the address
 * @throws BadRequest when the given owner has no such wallet
 */
export function ownerOfAddress({ views, wallets }: Services, address: string, given: string | undefined): string {
  const { accounts } = views;
  const known = accounts.byWallet(address)?.owner ?? accounts.ownerOfBound(address) ?? accounts.ownerOfDerived(address);
  if (known === undefined && given !== undefined && wallets.walletType(given, address) === undefined) {
    throw new BadRequest(`invalid_field: owner: ${address} is no wallet of ${given}`);
  }
  if (known !== undefined && given !== undefined && known !== given) {
    throw new BadRequest(`invalid_field: owner: the wallet ${address} belongs to ${known}`);
  }
  return known ?? given ?? address;
}
