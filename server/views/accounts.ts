// Balances and owner of every wallet, the flags of owners, wallet bindings and the mode of the exchange. Balances are copied
// from the events, which state the new balance after each change; nothing is summed here. Fed by the follower of index.ts;
// read by routes and by authentication.
import {
  type EventOf,
  ExchangeMode,
  FEES_ACCOUNT,
  HOUSE_ACCOUNT,
  reservedAccounts,
  type Sections,
  tokenNumber,
} from '../../engine/index.ts';
import { SignatureType } from '../auth/orderDigest.ts';
import { DerivedWallets } from './derivedWallets.ts';
import type { Account, Draft, Order } from './records.ts';

type AccountDraft = Draft<Omit<Account, 'sharesMicro'>> & { readonly sharesMicro: Map<number, number> };

/** A wallet that an operator assigned to an owner. */
interface Binding {
  readonly owner: string;
  readonly wallet: string;
  readonly signatureType: SignatureType;
}

export class AccountsView {
  private accounts: AccountDraft[] = [];
  /** The accounts with shares of each token, by number. Not saved in snapshots but derived from the balances. */
  private readonly holders = new Map<number, Set<number>>();
  private wallets = new Map<string, AccountDraft>();
  private byOwner = new Map<string, Set<AccountDraft>>();
  private bindings = new Map<string, Binding>();
  /** The latest binding, keyed by `owner/signatureType`. */
  private bound = new Map<string, Binding>();
  private readonly derived = new DerivedWallets();
  private ownerFlags = new Map<string, number>();
  private depositWallets = new Map<string, string>();
  private exchangeMode: ExchangeMode = ExchangeMode.NORMAL;

  constructor() {
    for (const { id, wallet } of reservedAccounts) this.open(id, wallet, wallet);
  }

  /** The account of a wallet (lower-case address). */
  byWallet(wallet: string): Account | undefined {
    return this.wallets.get(wallet);
  }

  byId(accountId: number): Account | undefined {
    return this.accounts[accountId];
  }

  /** The owner's accounts, in the order in which the owner got them. */
  walletsOf(owner: string): readonly Account[] {
    return [...(this.byOwner.get(owner) ?? [])];
  }

  /** The wallet last bound to the owner for a signature type, if its latest binding still has that owner and type. */
  boundWallet(owner: string, signatureType: number): string | undefined {
    const binding = this.bound.get(`${owner}/${signatureType}`);
    const latest = binding === undefined ? undefined : this.bindings.get(binding.wallet);
    return latest?.owner === owner && latest.signatureType === signatureType ? latest.wallet : undefined;
  }

  /** The owner to whom the wallet is bound; undefined for a wallet without a binding. */
  ownerOfBound(wallet: string): string | undefined {
    return this.bindings.get(wallet)?.owner;
  }

  /** Whether the wallet is bound to an owner other than this one. */
  isBoundToAnother(wallet: string, owner: string): boolean {
    return (this.ownerOfBound(wallet) ?? owner) !== owner;
  }

  /** The owner from whose address the wallet is derived; undefined unless that owner has created an API key. */
  ownerOfDerived(wallet: string): string | undefined {
    return this.derived.ownerOf(wallet);
  }

  /** An owner created an API key; the command lists the wallets derived from the owner's address. */
  ownerKnown(owner: string, wallets: readonly string[]): void {
    this.derived.add(owner, wallets);
  }

  /** The binding of a wallet, with its signature type. */
  binding(wallet: string): Binding | undefined {
    return this.bindings.get(wallet);
  }

  /** The owner's AccountFlag bits. */
  flags(owner: string): number {
    return this.ownerFlags.get(owner) ?? 0;
  }

  collateralMicro(accountId: number): number {
    return this.accounts[accountId]?.collateralMicro ?? 0;
  }

  sharesMicro(accountId: number, marketIndex: number, outcome: number): number {
    return this.accounts[accountId]?.sharesMicro.get(tokenNumber(marketIndex, outcome)) ?? 0;
  }

  /** Micro-shares of a token by owner, summed over the owner's wallets, in the order of the accounts. */
  holdersOf(marketIndex: number, outcome: number): ReadonlyMap<string, number> {
    const ids = [...(this.holders.get(tokenNumber(marketIndex, outcome)) ?? [])].sort((left, right) => left - right);
    const heldBy = new Map<string, number>();
    for (const id of ids) {
      const { owner } = this.accounts[id];
      heldBy.set(owner, (heldBy.get(owner) ?? 0) + this.sharesMicro(id, marketIndex, outcome));
    }
    return heldBy;
  }

  /** The wallet of the owner's latest accepted order of signature type 3, unless it has since been bound to another owner. */
  latestDepositWallet(owner: string): string | undefined {
    const wallet = this.depositWallets.get(owner);
    if (wallet === undefined) return undefined;
    return this.isBoundToAnother(wallet, owner) ? undefined : wallet;
  }

  get mode(): ExchangeMode {
    return this.exchangeMode;
  }

  get accountCount(): number {
    return this.accounts.length;
  }

  open(accountId: number, wallet: string, owner: string): void {
    const account: AccountDraft = { accountId, wallet, owner, collateralMicro: 0, sharesMicro: new Map() };
    this.accounts[accountId] = account;
    this.wallets.set(wallet, account);
    this.addToOwner(account, owner);
  }

  setCollateral(accountId: number, collateralMicro: number): void {
    const account = this.accounts[accountId];
    if (account !== undefined) account.collateralMicro = collateralMicro;
  }

  setShares(accountId: number, marketIndex: number, outcome: number, sharesMicro: number): void {
    const shares = this.accounts[accountId]?.sharesMicro;
    if (shares === undefined) return;
    const token = tokenNumber(marketIndex, outcome);
    if (sharesMicro === 0) {
      if (shares.delete(token)) this.removeHolder(token, accountId);
      return;
    }
    const countBefore = shares.size;
    shares.set(token, sharesMicro);
    if (shares.size > countBefore) this.addHolder(token, accountId);
  }

  orderAccepted(order: Order): void {
    if (order.signatureType === SignatureType.DEPOSIT) this.depositWallets.set(order.owner, order.maker);
  }

  traded(event: EventOf<'Trade'>, takerAccountId: number, outcome: number): void {
    this.setCollateral(takerAccountId, event.takerCollateralMicro);
    this.setShares(takerAccountId, event.marketIndex, outcome, event.takerSharesMicro);
    this.setCollateral(FEES_ACCOUNT.id, event.feesCollateralMicro);
  }

  sharesCredited(event: EventOf<'SharesCredited'>): void {
    this.setShares(event.accountId, event.marketIndex, event.outcome, event.sharesMicro);
    this.setShares(HOUSE_ACCOUNT.id, event.marketIndex, 1 - event.outcome, event.houseSharesMicro);
  }

  positionChanged(event: EventOf<'PositionSplit'> | EventOf<'PositionMerged'>): void {
    this.setCollateral(event.accountId, event.collateralMicro);
    this.setShares(event.accountId, event.marketIndex, 0, event.firstSharesMicro);
    this.setShares(event.accountId, event.marketIndex, 1, event.secondSharesMicro);
  }

  positionRedeemed(event: EventOf<'PositionRedeemed'>): void {
    this.setCollateral(event.accountId, event.collateralMicro);
    this.setShares(event.accountId, event.marketIndex, 0, 0);
    this.setShares(event.accountId, event.marketIndex, 1, 0);
  }

  walletBound(event: EventOf<'WalletBound'>): void {
    const { owner, wallet } = event;
    const signatureType = event.signatureType as SignatureType; // the layout bounds it to 0..3
    const binding: Binding = { owner, wallet, signatureType };
    this.bindings.set(wallet, binding);
    this.bound.set(`${owner}/${signatureType}`, binding);
    const account = this.wallets.get(wallet);
    if (account === undefined || account.owner === owner) return;
    this.byOwner.get(account.owner)?.delete(account);
    account.owner = owner;
    this.addToOwner(account, owner);
  }

  setFlags(owner: string, flags: number): void {
    this.ownerFlags.set(owner, flags);
  }

  setMode(mode: number): void {
    this.exchangeMode = mode as ExchangeMode; // the layout bounds it to the existing modes
  }

  /** This view's part of a snapshot. */
  visit(sections: Sections): void {
    const { accounts, wallets, byOwner, bindings, bound, ownerFlags, depositWallets, exchangeMode } = this;
    const known = { accounts, wallets, byOwner, bindings, bound, ownerFlags, depositWallets, exchangeMode };
    Object.assign(this, sections.plain('accounts', known));
    this.derived.visit(sections.part('derived'));
    if (!sections.isLoading) return;
    for (const { accountId, sharesMicro } of this.accounts) {
      for (const token of sharesMicro.keys()) this.addHolder(token, accountId);
    }
  }

  private addHolder(token: number, accountId: number): void {
    const holders = this.holders.get(token);
    if (holders === undefined) this.holders.set(token, new Set([accountId]));
    else holders.add(accountId);
  }

  private removeHolder(token: number, accountId: number): void {
    const holders = this.holders.get(token);
    holders?.delete(accountId);
    if (holders?.size === 0) this.holders.delete(token);
  }

  private addToOwner(account: AccountDraft, owner: string): void {
    const owned = this.byOwner.get(owner);
    if (owned === undefined) this.byOwner.set(owner, new Set([account]));
    else owned.add(account);
  }
}
