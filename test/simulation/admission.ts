// What the registry must answer to a command before the core sees it, derived from the log alone: which keys are active,
// which wallets are bound, which ids and slugs are taken. Used by the witness, which checks every record against it.
import {
  ApiKeyKind,
  type Command,
  type CommandOf,
  type EngineEvent,
  MarketStatus,
  OrderFlag,
  rejections,
} from '../../engine/index.ts';
import { checkTerms } from '../model/referenceMarkets.ts';
import { fail } from './audit.ts';

interface Key {
  readonly owner: string;
  readonly kind: number;
  readonly nonce: number;
  isActive: boolean;
}

/** Codes that only the registry gives; WALLET_NOT_OWNED and MARKET_TERMS also come from the core. */
const registryOnly: ReadonlySet<number> = new Set(
  [
    ...([rejections.KEY_UNKNOWN, rejections.KEY_EXISTS, rejections.WALLET_TAKEN, rejections.MARKET_EXISTS] as const),
    ...([rejections.TOKEN_EXISTS, rejections.SLUG_EXISTS, rejections.EVENT_UNKNOWN] as const),
  ].map(({ code }) => code),
);

const ALL_TERMS = 127;

/** The slug in the texts of an event or a market; undefined where the command has none. */
function slugIn({ type, tail }: Command): string | undefined {
  if (tail === undefined || (type !== 'CreateEvent' && type !== 'CreateMarket' && type !== 'UpdateMarket'))
    return undefined;
  const texts: { readonly slug?: string } = JSON.parse(new TextDecoder().decode(tail)); // as this simulation wrote it
  return texts.slug;
}

export class Admission {
  private readonly keys = new Map<string, Key>();
  private readonly boundTo = new Map<string, string>();
  private readonly conditions = new Set<string>();
  private readonly tokens = new Set<string>();
  private readonly eventSlugs = new Set<string>();
  /** The slug of each market, by its index. */
  private readonly slugs: string[] = [];

  /** Checks a record against the expected admission; returns whether the core has seen the command. */
  observe(command: Command, events: readonly EngineEvent[]): boolean {
    const due = this.refusalOf(command);
    const first = events[0];
    if (due !== undefined) {
      if (events.length !== 1 || first.type !== 'Rejected' || first.code !== due) {
        fail('the registry refuses what it must', { command: command.type, due, got: first?.type });
      }
      return false;
    }
    for (const event of events) {
      if (event.type === 'Rejected' && registryOnly.has(event.code)) {
        fail('the registry refuses nothing else', { command: command.type, code: event.code });
      }
    }
    const isRefused = events.some(({ type }) => type === 'Rejected');
    if (!isRefused) this.take(command);
    return true;
  }

  private refusalOf(command: Command): number | undefined {
    switch (command.type) {
      case 'PlaceOrder':
        return this.refusalOfTrader(command) ?? this.refusalOfWallet(command.maker, command.owner, command.flags);
      case 'Split':
      case 'Merge':
      case 'Redeem':
        return this.refusalOfTrader(command) ?? this.refusalOfWallet(command.wallet, command.owner, command.flags);
      case 'CancelOrders':
      case 'CancelAll':
      case 'CancelMarket':
      case 'Heartbeat':
      case 'DropNotifications':
        return this.refusalOfTrader(command);
      case 'CreateEvent':
        return this.eventSlugs.has(String(slugIn(command))) ? rejections.SLUG_EXISTS.code : undefined;
      case 'CreateMarket':
        return this.refusalOfMarket(command);
      case 'UpdateMarket': {
        const holder = this.slugs.indexOf(slugIn(command) ?? '');
        return holder < 0 || holder === command.marketIndex ? undefined : rejections.SLUG_EXISTS.code;
      }
      case 'CreateApiKey':
        return this.isKeyTaken(command) ? rejections.KEY_EXISTS.code : undefined;
      case 'DeleteApiKey': {
        const key = this.keys.get(command.keyId);
        return key?.isActive === true && key.owner === command.owner ? undefined : rejections.KEY_UNKNOWN.code;
      }
      case 'BindWallet': {
        const boundTo = this.boundTo.get(command.wallet) ?? command.owner;
        const isOwner = [...this.keys.values()].some(({ owner }) => owner === command.wallet);
        const isTaken = command.wallet === command.owner || boundTo !== command.owner || isOwner;
        return isTaken ? rejections.WALLET_TAKEN.code : undefined;
      }
      default:
        return undefined;
    }
  }

  private refusalOfTrader({ keyId, owner }: { readonly keyId: string; readonly owner: string }): number | undefined {
    const key = this.keys.get(keyId);
    const mayTrade = key?.isActive === true && key.owner === owner && key.kind === ApiKeyKind.TRADING;
    return mayTrade ? undefined : rejections.KEY_UNKNOWN.code;
  }

  private refusalOfWallet(wallet: string, owner: string, flags: number): number | undefined {
    const boundTo = this.boundTo.get(wallet);
    const isNeeded = (flags & OrderFlag.BOUND_WALLET) !== 0;
    const mayUse = boundTo === undefined ? !isNeeded : boundTo === owner;
    return mayUse ? undefined : rejections.WALLET_NOT_OWNED.code;
  }

  private refusalOfMarket(command: CommandOf<'CreateMarket'>): number | undefined {
    const { conditionId, firstToken, secondToken, eventNumber, status } = command;
    if (checkTerms(command, ALL_TERMS) !== undefined || status > MarketStatus.PAUSED)
      return rejections.MARKET_TERMS.code;
    if (this.conditions.has(conditionId)) return rejections.MARKET_EXISTS.code;
    const isTokenTaken = firstToken === secondToken || this.tokens.has(firstToken) || this.tokens.has(secondToken);
    if (isTokenTaken) return rejections.TOKEN_EXISTS.code;
    if (this.slugs.includes(slugIn(command) ?? '')) return rejections.SLUG_EXISTS.code;
    return eventNumber > this.eventSlugs.size ? rejections.EVENT_UNKNOWN.code : undefined;
  }

  private isKeyTaken(command: Extract<Command, { readonly type: 'CreateApiKey' }>): boolean {
    if (this.keys.has(command.keyId)) return true;
    if (command.kind !== ApiKeyKind.TRADING) return false;
    for (const { owner, kind, nonce, isActive } of this.keys.values()) {
      if (isActive && kind === ApiKeyKind.TRADING && owner === command.owner && nonce === command.nonce) return true;
    }
    return false;
  }

  private take(command: Command): void {
    const slug = slugIn(command);
    if (command.type === 'CreateEvent') this.eventSlugs.add(String(slug));
    if (command.type === 'UpdateMarket' && slug !== undefined) this.slugs[command.marketIndex] = slug;
    if (command.type === 'CreateMarket') {
      this.conditions.add(command.conditionId);
      this.tokens.add(command.firstToken).add(command.secondToken);
      this.slugs.push(String(slug));
    }
    if (command.type === 'BindWallet') this.boundTo.set(command.wallet, command.owner);
    if (command.type === 'CreateApiKey') {
      const { owner, kind, nonce, keyId } = command;
      this.keys.set(keyId, { owner, kind, nonce, isActive: true });
    }
    const key = command.type === 'DeleteApiKey' ? this.keys.get(command.keyId) : undefined;
    if (key !== undefined) key.isActive = false;
  }
}
