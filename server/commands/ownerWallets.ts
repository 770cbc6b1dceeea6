// The wallets of an owner: all its derived ones, the one that a signature type selects or a request names, and the owner of
// an address. Called by routes and by the start-up in development. Nothing is ever bound here.
import type { Command } from '../../engine/index.ts';
import { SIGNATURE_TYPES, SignatureType } from '../auth/orderDigest.ts';
import type { WalletDeriver, WalletForm } from '../auth/wallets.ts';
import type { Services } from '../services.ts';
import { BadRequest } from '../wire/badRequest.ts';

/** The derived wallets that orders of each signature type trade from. */
const formsOfType: Readonly<Record<SignatureType, readonly WalletForm[]>> = {
  [SignatureType.EOA]: ['eoa'],
  [SignatureType.PROXY]: ['proxy'],
  [SignatureType.SAFE]: ['safe'],
  [SignatureType.DEPOSIT]: ['depositBeacon', 'depositUups'],
};

/** With this type a wallet is bound that its owner claims by derivation (claimCommands); it trades with its own type. */
const CLAIMED = SignatureType.EOA;

/** The wallet that a request trades from, and whether an operator bound it to the owner. */
interface ChosenWallet {
  readonly wallet: string;
  readonly isBound: boolean;
}

/** The owner's own address and its four derived wallets, which a first API key credits. */
export function walletsOfOwner(owner: string, deriver: WalletDeriver): readonly string[] {
  const { proxy, safe, depositBeacon, depositUups } = deriver.derivedWallets(owner);
  return [owner, proxy, safe, depositBeacon, depositUups];
}

/**
 * The owner's wallet of a signature type: a bound one first, else the derived one. Of the two deposit forms it is the one
 * that placed the owner's latest accepted order of that type; before any such order it is the beacon form.
 */
export function walletOfType({ views, wallets }: Services, owner: string, type: SignatureType): ChosenWallet {
  if (type === SignatureType.EOA) return { wallet: owner, isBound: false };
  const bound = views.accounts.boundWallet(owner, type);
  if (bound !== undefined) return { wallet: bound, isBound: true };
  const { proxy, safe, depositBeacon, depositUups } = wallets.derivedWallets(owner);
  if (type === SignatureType.PROXY) return { wallet: proxy, isBound: false };
  if (type === SignatureType.SAFE) return { wallet: safe, isBound: false };
  const latest = views.accounts.latestDepositWallet(owner);
  return { wallet: latest === depositUups ? depositUups : depositBeacon, isBound: false };
}

/**
 * Checks that a wallet is the owner's for a signature type, by an operator's binding or by derivation (wire.md B.3a).
 * @param refusal the beginning of the error
 * @returns whether it is the owner's by a binding, which the registry checks again later
 * @throws BadRequest if it is another owner's, or not of that type
 */
export function checkOwned(
  { views, wallets }: Services,
  owner: string,
  { wallet, signatureType }: { readonly wallet: string; readonly signatureType: SignatureType },
  refusal: string,
): boolean {
  const binding = views.accounts.binding(wallet);
  if (binding !== undefined) {
    if (binding.owner === owner && binding.signatureType === signatureType && signatureType !== CLAIMED) return true;
    if (binding.owner !== owner) throw new BadRequest(`${refusal}: the wallet ${wallet} belongs to another owner`);
  }
  const form = wallets.walletType(owner, wallet);
  if (form !== undefined && formsOfType[signatureType].includes(form)) return false;
  throw new BadRequest(`${refusal}: ${wallet} is not a wallet of ${owner} for signature type ${signatureType}`);
}

/**
 * The wallet that a request of its owner names.
 * @param type the signature type with which it must trade; any of its own if undefined
 * @throws BadRequest if the owner cannot trade from it so
 */
export function walletNamed(
  services: Services,
  owner: string,
  wallet: string,
  type: SignatureType | undefined,
): ChosenWallet {
  const signatureType = type ?? typeOfWallet(services, owner, wallet);
  if (signatureType === null) throw new BadRequest(`invalid_field: wallet: ${wallet} is not a wallet of ${owner}`);
  return { wallet, isBound: checkOwned(services, owner, { wallet, signatureType }, 'invalid_field: wallet') };
}

/** The wallets that an operator may credit: those the owner already has, and, if the owner has a key, its derived ones. */
export function knownWallets({ views, wallets }: Services, owner: string): readonly string[] {
  const { accounts, keys } = views;
  const used = accounts.walletsOf(owner).map(({ wallet }) => wallet);
  const derived = keys.hasOwner(owner) ? walletsOfOwner(owner, wallets) : [];
  return [...used, ...derived.filter((wallet) => !used.includes(wallet) && !accounts.isBoundToAnother(wallet, owner))];
}

/** The signature type that an owner's wallet trades with: as an operator bound it, else as it is derived; null if neither. */
export function typeOfWallet({ views, wallets }: Services, owner: string, wallet: string): SignatureType | null {
  const binding = views.accounts.binding(wallet);
  if (binding?.owner === owner && binding.signatureType !== CLAIMED) return binding.signatureType;
  const form = wallets.walletType(owner, wallet);
  if (form === undefined) return null;
  return SIGNATURE_TYPES.find((type) => formsOfType[type].includes(form)) ?? null;
}

/**
 * Whether a contract wallet is the one that a signature type selects for its owner, so that of the two forms of a deposit
 * wallet exactly one is; false for the wallets of owners that have neither a key nor a bound wallet.
 */
export function isSelectedWallet(services: Services, wallet: string): boolean {
  const owner = ownerOfAddress(services, wallet, undefined);
  if (owner === wallet) return false;
  const type = typeOfWallet(services, owner, wallet);
  return type !== null && walletOfType(services, owner, type).wallet === wallet;
}

/**
 * Commands that assign to an owner those derived wallets that received money before the owner was known. Such an account is
 * its own owner, which no contract wallet can be, and the derivation proves whose it is, unless an operator bound it.
 */
export function claimCommands({ views: { accounts }, wallets }: Services, owner: string): readonly Command[] {
  return walletsOfOwner(owner, wallets)
    .filter((wallet) => wallet !== owner && accounts.byWallet(wallet)?.owner === wallet)
    .filter((wallet) => !accounts.isBoundToAnother(wallet, owner))
    .map((wallet) => ({ type: 'BindWallet', owner, wallet, signatureType: CLAIMED }));
}

/**
 * The owner of an address: that of its account or binding, else the owner whose derived wallet it is known to be, else the
 * one that the operator names, else the address itself.
 * @param given the EOA behind a wallet that no request has used yet; it cannot be computed from the address
 * @throws BadRequest if the given owner has no such wallet
 */
export function ownerOfAddress({ views, wallets }: Services, address: string, given: string | undefined): string {
  const { accounts } = views;
  const known = accounts.byWallet(address)?.owner ?? accounts.ownerOfBound(address) ?? accounts.ownerOfDerived(address);
  if (known === undefined && given !== undefined && wallets.walletType(given, address) === undefined) {
    throw new BadRequest(`invalid_field: owner: ${address} is not a wallet of ${given}`);
  }
  if (known !== undefined && given !== undefined && known !== given) {
    throw new BadRequest(`invalid_field: owner: the wallet ${address} belongs to ${known}`);
  }
  return known ?? given ?? address;
}
