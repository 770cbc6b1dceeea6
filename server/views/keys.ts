// API keys according to the log: the owner of each key, its kind, and whether it is still active. Authentication reads them for
// every signed request. Secrets are not stored here: they are derived from a key's identity where they are needed.
import type { ApiKeyKind, EventOf, Sections } from '../../engine/index.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { ApiKeyRow, Draft } from './records.ts';

/** An owner's keys of every kind, oldest first. Apart, since the active ones have a bound and all that ever were have none. */
interface OwnedKeys {
  readonly all: ApiKeyRow[];
  readonly active: ApiKeyRow[];
}

const NONE: readonly ApiKeyRow[] = [];

export class KeysView {
  private readonly byUuid = new Map<string, Draft<ApiKeyRow>>();
  private readonly byKeyId = new Map<string, Draft<ApiKeyRow>>();
  private readonly byIdentity = new Map<string, ApiKeyRow>();
  private readonly byOwner = new Map<string, OwnedKeys>();
  private made: ApiKeyRow | undefined;
  /** By key: the heartbeat id that it must send next; absent for a key that sends none. */
  private heartbeats = new Map<string, string>();

  /** The key with this UUID (lower case), deleted or not. */
  byApiKey(apiKey: string): ApiKeyRow | undefined {
    return this.byUuid.get(apiKey);
  }

  byId(keyId: string): ApiKeyRow | undefined {
    return this.byKeyId.get(keyId);
  }

  /** Whether the address belongs to an owner who has or had a key. */
  hasOwner(address: string): boolean {
    return this.byOwner.has(address);
  }

  /** The owner's active keys of a kind, oldest first. */
  activeOf(owner: string, kind: ApiKeyKind): readonly ApiKeyRow[] {
    return (this.byOwner.get(owner)?.active ?? NONE).filter((key) => key.kind === kind);
  }

  /** All keys, of every kind, that the owner ever had, oldest first: any number. The list grows as the owner gets more. */
  allOf(owner: string): readonly ApiKeyRow[] {
    return this.byOwner.get(owner)?.all ?? NONE;
  }

  /** The heartbeat id (16 bytes of hex) that a key must send next; undefined for a key that sends none. */
  expectedHeartbeat(keyId: string): string | undefined {
    return this.heartbeats.get(keyId);
  }

  /** The key created last by any owner, deleted or not. */
  lastMade(): ApiKeyRow | undefined {
    return this.made;
  }

  /** The latest key for an owner, nonce and kind, deleted or not: its generation determines the next one's. */
  latest(owner: string, nonce: number, kind: ApiKeyKind): ApiKeyRow | undefined {
    return this.byIdentity.get(`${owner}/${nonce}/${kind}`);
  }

  created(event: EventOf<'ApiKeyCreated'>, tMs: number): void {
    const { owner, keyId, nonce, generation } = event;
    const kind = event.kind as ApiKeyKind; // the layout bounds it to the existing kinds
    const key: Draft<ApiKeyRow> = {
      apiKey: uuidOfKeyId(keyId),
      keyId,
      owner,
      nonce,
      generation,
      kind,
      isActive: true,
      createdMs: tMs,
      deletedMs: undefined,
    };
    this.add(key);
  }

  deleted(event: EventOf<'ApiKeyDeleted'>, tMs: number): void {
    const key = this.byKeyId.get(event.keyId);
    if (key === undefined) return;
    key.isActive = false;
    key.deletedMs = tMs;
    const active = this.byOwner.get(key.owner)?.active;
    active?.splice(active.indexOf(key), 1);
  }

  heartbeatAccepted({ keyId, next }: EventOf<'HeartbeatAccepted'>): void {
    this.heartbeats.set(keyId, next);
  }

  heartbeatLapsed({ keyId }: EventOf<'HeartbeatLapsed'>): void {
    this.heartbeats.delete(keyId);
  }

  /** This view's part of a snapshot. */
  visit(sections: Sections): void {
    const keys = sections.plain('keys', [...this.byUuid.values()]);
    this.heartbeats = sections.plain('heartbeats', this.heartbeats);
    if (sections.isLoading) for (const key of keys) this.add(key);
  }

  private add(key: Draft<ApiKeyRow>): void {
    const { apiKey, keyId, owner, nonce, kind, isActive } = key;
    this.made = key;
    this.byUuid.set(apiKey, key);
    this.byKeyId.set(keyId, key);
    this.byIdentity.set(`${owner}/${nonce}/${kind}`, key);
    const owned = this.byOwner.get(owner);
    if (owned === undefined) this.byOwner.set(owner, { all: [key], active: isActive ? [key] : [] });
    else {
      owned.all.push(key);
      if (isActive) owned.active.push(key);
    }
  }
}
