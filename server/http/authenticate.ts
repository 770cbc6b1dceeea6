// Checks the credentials that an endpoint requires. Called by handle.ts before a handler runs: an operator's as soon as the
// head of a request is there, a key's once its body has arrived and is JSON. The refusal is always the same text, so a
// reply does not reveal which part of the credentials was wrong.
import { timingSafeEqual } from 'node:crypto';
import { ApiKeyKind } from '../../engine/index.ts';
import { credentialsOf } from '../auth/apiKeys.ts';
import type { Caller } from '../auth/caller.ts';
import { verifyL1 } from '../auth/clobAuth.ts';
import {
  type AuthHeaders,
  isWalletSigned,
  namesKey,
  readAuthHeaders,
  readBuilderHeaders,
  readReadonlyHeaders,
} from '../auth/headers.ts';
import { ZERO_BYTES16 } from '../auth/hex.ts';
import { equalSecretTexts, verifyL2 } from '../auth/l2.ts';
import { isPrivate } from '../config/config.ts';
import type { Services } from '../services.ts';
import type { ApiKeyRow } from '../views/records.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { requireSameOrigin } from './cors.ts';
import type { Endpoint, HeaderReader, HttpRequest } from './endpoint.ts';
import { httpLimits } from './limits.ts';

interface HeldCredentials {
  readonly caller: Caller;
  readonly secret: Uint8Array;
  readonly passphrase: Buffer;
}

/** Both throw BadRequest: 401, or 404 for endpoints that exist in development only. */
export interface Authenticator {
  /** Checks the operator's, a monitor's or a developer's access by the headers alone. Other endpoints pass. */
  readonly admit: (endpoint: Endpoint, header: HeaderReader) => void;
  /** The signer of the request; undefined if the endpoint needs none. */
  readonly callerOf: (endpoint: Endpoint, request: HttpRequest) => Caller | undefined;
}

const unauthorized = (text: string): BadRequest => new BadRequest(text, { status: 401 });
const invalidKey = (): BadRequest => unauthorized('Unauthorized/Invalid api key');

/** Derived secrets of keys in use, bounded: the oldest is dropped first. */
class CredentialsCache {
  private readonly held = new Map<string, HeldCredentials>();
  private readonly secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.secret = secret;
  }

  /** Undefined for a key that derives from another server secret. */
  of(key: ApiKeyRow): HeldCredentials | undefined {
    const known = this.held.get(key.apiKey);
    if (known !== undefined) return known;
    const derived = credentialsOf(this.secret, key);
    if (derived === undefined) return undefined;
    const { owner, apiKey, keyId } = key;
    const made: HeldCredentials = {
      caller: { owner, apiKey, keyId },
      secret: Buffer.from(derived.secret, 'base64url'),
      passphrase: Buffer.from(derived.passphrase, 'latin1'),
    };
    if (this.held.size >= httpLimits.credentialsCachedMax) {
      for (const oldest of this.held.keys()) {
        this.held.delete(oldest);
        break;
      }
    }
    this.held.set(apiKey, made);
    return made;
  }
}

/** The passphrase being checked. All have the same length, so rejecting a wrong length early reveals nothing. */
const PASSPHRASE_CHARACTERS = 64;
const givenPassphrase = Buffer.alloc(PASSPHRASE_CHARACTERS);

/** Whether the signature and the passphrase belong to the key. */
function isSigned(headers: AuthHeaders, request: HttpRequest, held: HeldCredentials): boolean {
  const { method, path, body } = request;
  const signed = { timestamp: headers.timestamp, method, path, body };
  if (!verifyL2(signed, headers.signature, held.secret, request.nowMs)) return false;
  if (headers.passphrase.length !== PASSPHRASE_CHARACTERS) return false;
  givenPassphrase.write(headers.passphrase, 'latin1');
  return timingSafeEqual(givenPassphrase, held.passphrase);
}

const BEARER = /^bearer +(\S+)$/i;

/** Whether a request carries this bearer token. */
function hasToken(header: HeaderReader, wanted: string): boolean {
  const token = BEARER.exec(header('authorization'))?.[1];
  return token !== undefined && equalSecretTexts(token, wanted);
}

/** The refusal of a request without a token, or with a wrong one. */
function refusedToken(header: HeaderReader, wanted: string, form: string): BadRequest {
  const isOther = BEARER.test(header('authorization'));
  const hint = isOther
    ? ', but the request carries a different token'
    : `: send the header Authorization: Bearer ${form}`;
  return unauthorized(`this path needs ${wanted}${hint}`);
}

/** The kinds of keys that an endpoint accepts. */
const TRADING = [ApiKeyKind.TRADING];
const READING = [...TRADING, ApiKeyKind.READONLY];
const ANY_KIND = [...READING, ApiKeyKind.BUILDER];

/** The checks of requests signed with API keys. */
function makeKeyChecks({ views, secret }: Services) {
  const credentials = new CredentialsCache(secret);

  /** The active key that the headers name, and its derived credentials. */
  const namedKey = ({ apiKey }: AuthHeaders): { readonly key: ApiKeyRow; readonly held: HeldCredentials } => {
    const key = views.keys.byApiKey(apiKey.toLowerCase());
    if (key === undefined || !key.isActive) throw invalidKey();
    const held = credentials.of(key);
    if (held === undefined) throw invalidKey();
    return { key, held };
  };

  const byKey = (
    request: HttpRequest,
    kinds: readonly ApiKeyKind[],
    headers = readAuthHeaders(request.header),
  ): Caller => {
    const { key, held } = namedKey(headers);
    if (!kinds.includes(key.kind)) throw invalidKey();
    if (headers.address.toLowerCase() !== key.owner) throw invalidKey();
    if (key.kind !== ApiKeyKind.READONLY && !isSigned(headers, request, held)) throw invalidKey();
    return held.caller;
  };

  /** The header of read-only keys accepts no key of another kind, not even with its signature. */
  const byReadingKey = (request: HttpRequest, kinds: readonly ApiKeyKind[]): Caller => {
    const headers = readReadonlyHeaders(request.header);
    return headers === undefined ? byKey(request, kinds) : byKey(request, [ApiKeyKind.READONLY], headers);
  };

  /** A builder's own headers carry no address; the key alone identifies the owner. */
  const byKeyOrBuilder = (request: HttpRequest): Caller => {
    const headers = readBuilderHeaders(request.header);
    if (headers === undefined) return byKey(request, TRADING);
    const { key, held } = namedKey(headers);
    if (key.kind !== ApiKeyKind.BUILDER || !isSigned(headers, request, held)) throw invalidKey();
    return held.caller;
  };

  return { byKey, byReadingKey, byKeyOrBuilder };
}

/** The checks for operators, monitors and developers, which yield no caller. */
function makeOperatorChecks({ config }: Services) {
  const byToken = (header: HeaderReader): void => {
    requireSameOrigin(header('origin'), header('host'));
    if (!hasToken(header, config.adminToken)) throw refusedToken(header, 'the admin token', '<admin token>');
  };

  const { metricsToken } = config;
  const needsNoToken = metricsToken === undefined && isPrivate(config.mode, config.host);
  const byWatcher = (header: HeaderReader): void => {
    requireSameOrigin(header('origin'), header('host'));
    if (needsNoToken || hasToken(header, config.adminToken)) return;
    if (metricsToken !== undefined && hasToken(header, metricsToken)) return;
    throw refusedToken(header, 'the metrics token or the admin token', '<token>');
  };

  const inDevelopment = (header: HeaderReader): void => {
    if (config.mode !== 'development') throw new BadRequest('not found', { status: 404 });
    requireSameOrigin(header('origin'), header('host'));
  };

  return { byToken, byWatcher, inDevelopment };
}

/** The checks of all levels of authentication. */
export function makeAuthenticator(services: Services): Authenticator {
  const { byKey, byReadingKey, byKeyOrBuilder } = makeKeyChecks(services);
  const { byToken, byWatcher, inDevelopment } = makeOperatorChecks(services);

  const byWallet = (request: HttpRequest): Caller => {
    const owner = verifyL1(readAuthHeaders(request.header), services.contracts.chainId, request.nowMs);
    if (owner === undefined) throw unauthorized('Invalid L1 Request headers');
    return { owner, apiKey: '', keyId: ZERO_BYTES16 };
  };

  /** A signature without any part of a key's credentials is a wallet's; everything else is checked as a key's. */
  const byWalletOrKey = (request: HttpRequest): Caller =>
    isWalletSigned(readAuthHeaders(request.header)) ? byWallet(request) : byKey(request, TRADING);

  const admit = ({ auth }: Endpoint, header: HeaderReader): void => {
    if (auth === 'admin') byToken(header);
    else if (auth === 'watch') byWatcher(header);
    else if (auth === 'dev') inDevelopment(header);
  };

  const callerOf = (endpoint: Endpoint, request: HttpRequest): Caller | undefined => {
    switch (endpoint.auth) {
      case 'none':
      case 'admin':
      case 'watch':
      case 'dev':
        return undefined;
      case 'l2':
        return byKey(request, TRADING);
      case 'l2-read':
        return byReadingKey(request, READING);
      case 'l1-or-l2':
        return byWalletOrKey(request);
      case 'l2-or-builder':
        return byKeyOrBuilder(request);
      case 'builder':
        return namesKey(request.header) ? byReadingKey(request, ANY_KIND) : undefined;
      case 'l1':
        return byWallet(request);
      default: {
        const unknown: never = endpoint.auth;
        throw new Error(`endpoints: unknown authentication ${String(unknown)}`);
      }
    }
  };

  return { admit, callerOf };
}
