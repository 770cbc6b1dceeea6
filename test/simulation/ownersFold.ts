// What a log says about owners, folded from its events in the plainest way: API keys and heartbeats, flags, wallets and
// their bindings, the mode of the exchange. Used by simulation.ts on every seed as what the views must show, since few
// commands change any of it. It shares no code with the views.
import type { ApiKeyKind, EngineEvent, EventOf, Follower, LogRecord } from '../../engine/index.ts';
import type { ApiKeyRow, Views } from '../../server/views/index.ts';
import { FEES_WALLET, HOUSE_WALLET } from '../model/names.ts';
import { same } from './same.ts';

interface FoldedBinding {
  readonly owner: string;
  readonly wallet: string;
  readonly signatureType: number;
}

const uuidOf = (keyId: string): string => keyId.replace(/^0x(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

export class OwnersFold {
  mode = 0;
  readonly flags = new Map<string, number>();
  /** In the order of their creation, deleted or not. */
  readonly keys: ApiKeyRow[] = [];
  /** By key: the heartbeat id that it must send next. */
  readonly heartbeats = new Map<string, string>();
  /** Oldest first. */
  readonly bindings: FoldedBinding[] = [];
  /** The wallets with an account that each owner has, in the order in which it got them. */
  readonly wallets = new Map<string, string[]>([
    [FEES_WALLET, [FEES_WALLET]],
    [HOUSE_WALLET, [HOUSE_WALLET]],
  ]);
  /** Owner by wallet, as the creation of an API key listed them. */
  readonly derived = new Map<string, string>();
  private sequence = 0;

  /** Follows one life of the exchange; records that an earlier life had are left out. */
  follower(): Follower {
    return {
      name: 'owners',
      apply: (record) => {
        const { sequence, events } = record;
        if (sequence <= this.sequence) return;
        this.sequence = sequence;
        for (let i = 0; i < events.length; i += 1) this.take(events[i], record);
      },
    };
  }

  private take(event: EngineEvent, record: LogRecord): void {
    switch (event.type) {
      case 'ApiKeyCreated':
        this.createKey(event, record);
        return;
      case 'ApiKeyDeleted':
        for (const key of this.keys) {
          if (key.keyId === event.keyId) Object.assign(key, { isActive: false, deletedMs: record.tMs });
        }
        return;
      case 'HeartbeatAccepted':
        this.heartbeats.set(event.keyId, event.next);
        return;
      case 'HeartbeatLapsed':
        this.heartbeats.delete(event.keyId);
        return;
      case 'AccountOpened':
        this.give(event.owner, event.wallet);
        return;
      case 'WalletBound':
        this.bind(event);
        return;
      case 'AccountFlagsChanged':
        this.flags.set(event.owner, event.flags);
        return;
      case 'ExchangeModeChanged':
        this.mode = event.mode;
        return;
      default:
    }
  }

  /** The wallet last bound to an owner for a signature type, if nothing has been bound over it. */
  boundWallet(owner: string, signatureType: number): string | undefined {
    const last = this.bindings.findLast((one) => one.owner === owner && one.signatureType === signatureType);
    return last !== undefined && this.bindingOf(last.wallet) === last ? last.wallet : undefined;
  }

  bindingOf(wallet: string): FoldedBinding | undefined {
    return this.bindings.findLast((one) => one.wallet === wallet);
  }

  private createKey(event: EventOf<'ApiKeyCreated'>, { command, tMs }: LogRecord): void {
    const { owner, keyId, nonce, generation } = event;
    const kind = event.kind as ApiKeyKind; // the layout bounds it to the existing kinds
    const about = { apiKey: uuidOf(keyId), isActive: true, createdMs: tMs, deletedMs: undefined };
    this.keys.push({ owner, keyId, nonce, generation, kind, ...about });
    if (command.type !== 'CreateApiKey') return;
    for (const wallet of command.items ?? []) this.derived.set(wallet, owner);
  }

  private bind({ owner, wallet, signatureType }: FoldedBinding): void {
    this.bindings.push({ owner, wallet, signatureType });
    const holder = [...this.wallets].find(([, wallets]) => wallets.includes(wallet));
    if (holder === undefined || holder[0] === owner) return;
    holder[1].splice(holder[1].indexOf(wallet), 1);
    this.give(owner, wallet);
  }

  private give(owner: string, wallet: string): void {
    const wallets = this.wallets.get(owner);
    if (wallets === undefined) this.wallets.set(owner, [wallet]);
    else wallets.push(wallet);
  }
}

/** Compares all of it with what views show that hold the same records. */
export function compareOwners({ accounts, keys }: Views, owners: OwnersFold): void {
  same('the exchange has its mode', accounts.mode, owners.mode);
  for (const [owner, flags] of owners.flags) same('an owner has its flags', accounts.flags(owner), flags);
  for (const [owner, wallets] of owners.wallets) {
    const shown = accounts.walletsOf(owner).map(({ wallet }) => wallet);
    same('an owner has its wallets', shown, wallets);
  }
  for (const { owner, wallet, signatureType } of owners.bindings) {
    same('a wallet has its binding', accounts.binding(wallet), owners.bindingOf(wallet));
    const bound = owners.boundWallet(owner, signatureType);
    same('an owner has its bound wallet', accounts.boundWallet(owner, signatureType), bound);
  }
  for (const [wallet, owner] of owners.derived) {
    same('a derived wallet has its owner', accounts.ownerOfDerived(wallet), owner);
  }
  compareKeys(keys, owners);
}

function compareKeys(keys: Views['keys'], { keys: all, heartbeats }: OwnersFold): void {
  for (const key of all) {
    const { keyId, apiKey, owner, kind } = key;
    same('a key is shown as the log has it', keys.byId(keyId), key);
    same('a key is found by its name', keys.byApiKey(apiKey), key);
    const ofOwner = all.filter((one) => one.owner === owner);
    const active = ofOwner.filter((one) => one.isActive && one.kind === kind);
    same('an owner has its keys', keys.allOf(owner), ofOwner);
    same('an owner has its active keys', keys.activeOf(owner, kind), active);
    same('a key has its next heartbeat', keys.expectedHeartbeat(keyId), heartbeats.get(keyId));
  }
}
