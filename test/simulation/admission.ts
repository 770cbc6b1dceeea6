// What the registry must answer to a command before the core sees it, derived from the log alone: which keys are active,
// which wallets are bound, which ids and slugs are taken. Used by the witness, which checks every record against it.
import { ApiKeyKind, type Command, type EngineEvent, OrderFlag, rejections } from '../../engine/index.ts';
import { fail } from './audit.ts';

interface Key {
  readonly owner: string;
  readonly kind: number;
  readonly nonce: number;
  isActive: boolean;
}

/** Codes that only the registry gives; WALLET_NOT_OWNED also comes from the core. */
const registryOnly: ReadonlySet<number> = new Set(
  [
    ...([rejections.KEY_UNKNOWN, rejections.KEY_EXISTS, rejections.WALLET_TAKEN, rejections.MARKET_EXISTS] as const),
    ...([rejections.TOKEN_EXISTS, rejections.SLUG_EXISTS, rejections.EVENT_UNKNOWN] as const),
  ].map(({ code }) => code),
);

export class Admission {
  private readonly keys = new Map<string, Key>();
  private readonly boundTo = new Map<string, string>();
  private readonly conditions = new Set<string>();

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
      case 'CreateMarket':
        return this.conditions.has(command.conditionId) ? rejections.MARKET_EXISTS.code : undefined;
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

  private isKeyTaken(command: Extract<Command, { readonly type: 'CreateApiKey' }>): boolean {
    if (this.keys.has(command.keyId)) return true;
    if (command.kind !== ApiKeyKind.TRADING) return false;
    for (const { owner, kind, nonce, isActive } of this.keys.values()) {
      if (isActive && kind === ApiKeyKind.TRADING && owner === command.owner && nonce === command.nonce) return true;
    }
    return false;
  }

  private take(command: Command): void {
    if (command.type === 'CreateMarket') this.conditions.add(command.conditionId);
    if (command.type === 'BindWallet') this.boundTo.set(command.wallet, command.owner);
    if (command.type === 'CreateApiKey') {
      const { owner, kind, nonce, keyId } = command;
      this.keys.set(keyId, { owner, kind, nonce, isActive: true });
    }
    const key = command.type === 'DeleteApiKey' ? this.keys.get(command.keyId) : undefined;
    if (key !== undefined) key.isActive = false;
  }
}
