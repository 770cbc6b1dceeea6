// The reducer beside the core, for what is not trading: API keys, wallet bindings, texts, dropped notifications. The pipeline
// calls it before the core (admit) and after it (record). Deterministic like the core; gateways never read its state, they
// learn from its events.
import {
  COMMAND_AT,
  type Command,
  type CommandOf,
  commandLayouts,
  decodeCommand,
  type EventWriter,
  Message,
  newMarketFault,
  notificationNumber,
  OrderFlag,
  type RejectionName,
  RULES_VERSION,
  RulesVersion,
  type Sections,
} from '../protocol/index.ts';
import { StateHasher } from '../protocol/stateHasher.ts';
import { ApiKeys } from './apiKeys.ts';
import { Catalog, parseTexts, slugOf, type Texts } from './catalog.ts';
import { DroppedNotifications } from './notifications.ts';
import { Wallets } from './wallets.ts';

const L = commandLayouts;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

export class Registry {
  private readonly apiKeys = new ApiKeys();
  private readonly wallets = new Wallets();
  private readonly catalog = new Catalog();
  private readonly notifications = new DroppedNotifications();
  /** The rules version of the latest start. */
  private rulesVersion: number = RULES_VERSION;
  /** The market admitted last: record() adds it without decoding its bytes again. */
  private admitted:
    | { readonly command: CommandOf<'CreateMarket'>; readonly slug: string; readonly json: string }
    | undefined;
  /** A copy of the rare command at hand, aligned for code that reads words. */
  private readonly message = new Message();

  /**
   * Whether the command at `offset`, a multiple of 8 bytes, of a message may go on to the core. Changes no state; writes a
   * refusal to `out`.
   */
  admit(message: Message, offset: number, bytes: number, out: EventWriter): boolean {
    switch (message.bytes[offset + 1]) {
      case L.PlaceOrder.type: {
        const { keyId, owner, maker, flags } = L.PlaceOrder.offsets;
        if (!this.admitTrader(message, offset + keyId, offset + owner, out)) return false;
        return this.admitWallet(message, offset + maker, offset + owner, offset + flags, out);
      }
      case L.Split.type:
        return this.admitHolder(message, offset, L.Split.offsets, out);
      case L.Merge.type:
        return this.admitHolder(message, offset, L.Merge.offsets, out);
      case L.Redeem.type:
        return this.admitHolder(message, offset, L.Redeem.offsets, out);
      case L.CancelOrders.type:
      case L.CancelAll.type:
      case L.CancelMarket.type:
      case L.Heartbeat.type:
      case L.DropNotifications.type: {
        const { keyId, owner } = L.CancelAll.offsets; // all five start with these
        return this.admitTrader(message, offset + keyId, offset + owner, out);
      }
      default:
        return this.admitRare(this.takeRare(message, offset, bytes), out);
    }
  }

  /** The number of the next event, from 1, and the index of the next market. */
  get nextEventNumber(): number {
    return this.catalog.eventCount + 1;
  }

  get nextMarketIndex(): number {
    return this.catalog.marketCount;
  }

  /** Applies a command that the core did not reject to the registry's state and writes its events. */
  record(tMs: number, message: Message, offset: number, bytes: number, out: EventWriter): void {
    const type = message.bytes[offset + 1];
    if (type === L.PlaceOrder.type || type === L.CancelOrders.type) return;
    const command = this.takeRare(message, offset, bytes);
    if (type === L.Started.type) this.rulesVersion = decode(command, 'Started').rulesVersion;
    else if (type === L.CreateEvent.type) this.createEvent(command, out);
    else if (type === L.CreateMarket.type) this.createMarket();
    else if (type === L.UpdateMarket.type) this.updateMarket(command);
    else if (type === L.CreateApiKey.type) this.createApiKey(tMs, command, out);
    else if (type === L.DeleteApiKey.type) this.deleteApiKey(command, out);
    else if (type === L.BindWallet.type) this.bindWallet(command, out);
    else if (type === L.DropNotifications.type) this.dropNotifications(command);
  }

  /** A hash of all of the registry's state but the rules version, which the core hashes. */
  stateHash(): string {
    const hasher = new StateHasher();
    this.apiKeys.hashInto(hasher);
    this.wallets.hashInto(hasher);
    this.catalog.hashInto(hasher);
    this.notifications.hashInto(hasher);
    return hasher.digest();
  }

  /**
   * Saves or loads its part of a snapshot; only a registry that has recorded nothing may load. Throws SnapshotUnusable for an
   * impossible state; then this registry must be discarded.
   */
  visit(sections: Sections): void {
    this.apiKeys.visit(sections.part('apiKeys'));
    this.wallets.visit(sections.part('wallets'));
    this.catalog.visit(sections.part('catalog'));
    this.notifications.visit(sections.part('notifications'));
    this.rulesVersion = sections.number('rulesVersion', this.rulesVersion);
  }

  /** Throws an Error with the number of the first violated invariant and its figures. */
  checkInvariants(): void {
    this.apiKeys.checkInvariants();
    this.wallets.checkInvariants();
    this.catalog.checkInvariants();
    this.notifications.checkInvariants();
  }

  /** The bytes of a rare command, which is also copied into `this.message`. */
  private takeRare(message: Message, offset: number, bytes: number): Uint8Array {
    const command = message.bytes.subarray(offset, offset + bytes);
    this.message.take(command);
    return command;
  }

  private admitTrader(message: Message, keyIdAt: number, ownerAt: number, out: EventWriter): boolean {
    if (this.apiKeys.mayTrade(message, keyIdAt, ownerAt)) return true;
    out.rejected('KEY_UNKNOWN');
    return false;
  }

  /** Admits a trader's command on the holdings of its wallet. */
  private admitHolder(message: Message, offset: number, fields: typeof L.Redeem.offsets, out: EventWriter): boolean {
    const { keyId, owner, wallet, flags } = fields;
    if (!this.admitTrader(message, offset + keyId, offset + owner, out)) return false;
    return this.admitWallet(message, offset + wallet, offset + owner, offset + flags, out);
  }

  private admitWallet(message: Message, walletAt: number, ownerAt: number, flagsAt: number, out: EventWriter): boolean {
    const isBindingNeeded = (message.bytes[flagsAt] & OrderFlag.BOUND_WALLET) !== 0;
    if (this.wallets.mayUse(message, walletAt, ownerAt, isBindingNeeded)) return true;
    out.rejected('WALLET_NOT_OWNED');
    return false;
  }

  private admitRare(command: Uint8Array, out: EventWriter): boolean {
    let refusal: RejectionName | undefined;
    switch (command[COMMAND_AT.type]) {
      case L.CreateEvent.type:
        if (this.catalog.hasEventSlug(String(textsOf(decode(command, 'CreateEvent').tail).slug)))
          refusal = 'SLUG_EXISTS';
        break;
      case L.CreateMarket.type:
        return this.admitMarket(command, out);
      case L.UpdateMarket.type:
        refusal = this.refusalOfUpdate(decode(command, 'UpdateMarket'));
        break;
      case L.CreateApiKey.type:
        refusal = this.refusalOfKey(command);
        break;
      case L.DeleteApiKey.type: {
        const { keyId, owner } = L.DeleteApiKey.offsets;
        if (!this.apiKeys.isActiveKeyOf(this.message, keyId, owner)) refusal = 'KEY_UNKNOWN';
        break;
      }
      case L.BindWallet.type:
        refusal = this.refusalOfBinding(command);
        break;
      default:
    }
    if (refusal === undefined) return true;
    out.rejected(refusal);
    return false;
  }

  /** Checks in the order of the list of rejections. */
  private admitMarket(bytes: Uint8Array, out: EventWriter): boolean {
    const { catalog } = this;
    const command = decode(bytes, 'CreateMarket');
    const json = jsonOf(command.tail);
    const slug = slugOf(parseTexts(json));
    this.admitted = { command, slug, json };
    const { conditionId, firstToken, secondToken, eventNumber } = command;
    const fault = newMarketFault(command);
    if (fault !== 0) out.rejected('MARKET_TERMS', fault);
    else if (catalog.hasCondition(conditionId)) out.rejected('MARKET_EXISTS');
    else if (firstToken === secondToken || catalog.hasToken(firstToken) || catalog.hasToken(secondToken))
      out.rejected('TOKEN_EXISTS');
    else if (catalog.marketOfSlug(slug) !== undefined) out.rejected('SLUG_EXISTS');
    else if (eventNumber > catalog.eventCount) out.rejected('EVENT_UNKNOWN', eventNumber);
    return !out.isRejected;
  }

  private refusalOfUpdate({ marketIndex, tail }: CommandOf<'UpdateMarket'>): RejectionName | undefined {
    const slug = tail === undefined ? undefined : textsOf(tail).slug;
    const holder = typeof slug === 'string' ? this.catalog.marketOfSlug(slug) : undefined;
    return holder === undefined || holder === marketIndex ? undefined : 'SLUG_EXISTS';
  }

  private refusalOfKey(command: Uint8Array): RejectionName | undefined {
    const { owner, nonce, kind } = decode(command, 'CreateApiKey');
    const keyIdAt = L.CreateApiKey.offsets.keyId;
    return this.apiKeys.isTaken(this.message, keyIdAt, owner, nonce, kind) ? 'KEY_EXISTS' : undefined;
  }

  private refusalOfBinding(command: Uint8Array): RejectionName | undefined {
    const { owner, wallet } = decode(command, 'BindWallet');
    if (wallet === owner || wallet === ZERO_ADDRESS) return 'WALLET_TAKEN';
    if (this.rulesVersion >= RulesVersion.SECOND && this.apiKeys.hasOwner(wallet)) return 'WALLET_TAKEN';
    const { wallet: walletAt, owner: ownerAt } = L.BindWallet.offsets;
    const isFree = this.wallets.mayUse(this.message, walletAt, ownerAt, false);
    return isFree ? undefined : 'WALLET_TAKEN';
  }

  private createEvent(command: Uint8Array, out: EventWriter): void {
    const { tail } = decode(command, 'CreateEvent');
    out.write({ type: 'EventCreated', eventNumber: this.catalog.createEvent(jsonOf(tail)) });
  }

  private createMarket(): void {
    const { admitted } = this;
    this.admitted = undefined;
    if (admitted === undefined) throw new Error('registry: a market is recorded that was not admitted');
    this.catalog.createMarket(admitted.command, admitted.slug, admitted.json);
  }

  private updateMarket(command: Uint8Array): void {
    const { marketIndex, tail } = decode(command, 'UpdateMarket');
    if (tail !== undefined) this.catalog.updateMarket(marketIndex, textsOf(tail));
  }

  private createApiKey(tMs: number, command: Uint8Array, out: EventWriter): void {
    const { owner, keyId, nonce, generation, kind } = decode(command, 'CreateApiKey');
    const { keyId: keyIdAt, owner: ownerAt } = L.CreateApiKey.offsets;
    const key = { keyId, owner, nonce, generation, kind, createdMs: tMs };
    this.apiKeys.create(this.message, keyIdAt, ownerAt, key);
    out.write({ type: 'ApiKeyCreated', owner, keyId, nonce, generation, kind });
  }

  private deleteApiKey(command: Uint8Array, out: EventWriter): void {
    const { owner, keyId } = decode(command, 'DeleteApiKey');
    this.apiKeys.delete(this.message, L.DeleteApiKey.offsets.keyId);
    out.write({ type: 'ApiKeyDeleted', owner, keyId });
  }

  private bindWallet(command: Uint8Array, out: EventWriter): void {
    const { owner, wallet, signatureType } = decode(command, 'BindWallet');
    const { wallet: walletAt, owner: ownerAt } = L.BindWallet.offsets;
    this.wallets.bind(this.message, walletAt, ownerAt, { wallet, owner, signatureType });
    out.write({ type: 'WalletBound', owner, wallet, signatureType });
  }

  private dropNotifications(command: Uint8Array): void {
    const { owner, items = [] } = decode(command, 'DropNotifications');
    this.notifications.drop(owner, items.map(notificationNumber));
  }
}

function decode<N extends Command['type']>(command: Uint8Array, type: N): CommandOf<N> {
  const decoded = decodeCommand(command);
  if (decoded.type !== type) throw new Error(`registry: a ${decoded.type} where a ${type} was expected`);
  return decoded as CommandOf<N>; // its type was just compared
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The JSON of a tail; an empty object without one. */
function jsonOf(tail: Uint8Array | undefined): string {
  return tail === undefined ? '{}' : decoder.decode(tail);
}

/**
 * The texts of a tail; none without one. Throws on anything but a JSON object, which the check of incoming commands refuses.
 */
export function textsOf(tail: Uint8Array | undefined): Texts {
  return parseTexts(jsonOf(tail));
}
