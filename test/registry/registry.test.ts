// The registry alone: the life of API keys and wallet bindings against naive Maps, by properties; texts, slugs and terms of
// events and markets by example. Commands go in as bytes, events come out as bytes, as in the pipeline.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ApiKeyKind,
  type Command,
  type CommandOf,
  EventWriter,
  encodeCommand,
  MarketField,
  Message,
  OrderFlag,
  RulesVersion,
} from '../../engine/protocol/index.ts';
import { tailOf } from '../support/commandParts.ts';
import { address, Harness, hex, keyIdOf, marketOf, terms } from './harness.ts';

const ZERO_ID = hex(0, 16);

const orderOf = (owner: number, keyId: string, maker = address(owner), flags = 0): CommandOf<'PlaceOrder'> => ({
  type: 'PlaceOrder',
  orderId: hex(1, 32),
  keyId,
  maker,
  owner: address(owner),
  marketIndex: 0,
  outcome: 0,
  side: 0,
  orderType: 0,
  flags,
  makerAmountMicro: 1,
  takerAmountMicro: 1,
  timestampMs: 1,
  expirationS: 0,
});

/** Every command that requires a key. */
function tradingCommands(owner: number, keyId: string): Command[] {
  const who = { owner: address(owner), keyId };
  const wallet = { wallet: address(owner), marketIndex: 0, flags: 0 };
  return [
    orderOf(owner, keyId),
    { type: 'CancelOrders', ...who, items: [hex(1, 32)] },
    { type: 'CancelAll', ...who },
    { type: 'CancelMarket', ...who, marketIndex: 0, outcome: 2 },
    { type: 'Heartbeat', ...who, given: ZERO_ID, next: ZERO_ID, refresh: 0 },
    { type: 'DropNotifications', ...who, items: [hex(1, 16)] },
    { type: 'Split', ...who, ...wallet, amountMicro: 1 },
    { type: 'Merge', ...who, ...wallet, amountMicro: 1 },
    { type: 'Redeem', ...who, ...wallet },
  ];
}

/** Every command that moves what a wallet holds, signed with the owner's first key. */
function walletCommands(owner: number, wallet: string, flags: number): Command[] {
  const keyId = keyIdOf(owner, 0, 0, 0);
  const by = { owner: address(owner), keyId, wallet, marketIndex: 0, flags };
  return [
    orderOf(owner, keyId, wallet, flags),
    { type: 'Split', ...by, amountMicro: 1 },
    { type: 'Merge', ...by, amountMicro: 1 },
    { type: 'Redeem', ...by },
  ];
}

test('keys are created, deleted and accepted as in a simple model', () => {
  const step = fc.record({
    act: fc.constantFrom('create', 'create', 'delete', 'use'),
    owner: fc.nat(2),
    nonce: fc.nat(2),
    kind: fc.nat(2),
    generation: fc.nat(3),
    claims: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const harness = new Harness();
      const model = new Map<string, { owner: number; nonce: number; kind: number; isActive: boolean }>();
      for (const { act, owner, nonce, kind, generation, claims } of steps) {
        const keyId = keyIdOf(owner, nonce, kind, generation);
        const known = model.get(keyId);
        if (act === 'create') {
          const isTaken = [...model.values()].some(
            (key) => key.isActive && key.kind === 0 && kind === 0 && key.owner === owner && key.nonce === nonce,
          );
          const command: Command = {
            type: 'CreateApiKey',
            owner: address(owner),
            keyId,
            nonce,
            generation,
            kind,
            items: [],
          };
          const events = harness.run(command);
          if (known !== undefined || isTaken) {
            expect(events).toMatchObject([{ type: 'Rejected' }]);
          } else {
            const fields = { owner: address(owner), keyId, nonce, generation, kind };
            expect(events).toEqual([{ type: 'ApiKeyCreated', ...fields }]);
            model.set(keyId, { owner, nonce, kind, isActive: true });
          }
        } else if (act === 'delete') {
          const events = harness.run({ type: 'DeleteApiKey', owner: address(claims), keyId });
          const isRight = known?.isActive === true && known.owner === claims;
          expect(events).toMatchObject([{ type: isRight ? 'ApiKeyDeleted' : 'Rejected' }]);
          if (isRight && known !== undefined) known.isActive = false;
        } else {
          const mayTrade = known?.isActive === true && known.kind === ApiKeyKind.TRADING && known.owner === claims;
          for (const command of tradingCommands(claims, keyId)) {
            expect(harness.outcome(command)).toBe(mayTrade ? 'accepted' : 'KEY_UNKNOWN');
          }
        }
      }
    }),
    { numRuns: 150, seed: 20 },
  );
});

test('a wallet is bound to one owner, and no other owner may use it', () => {
  const step = fc.record({
    isBinding: fc.boolean(),
    owner: fc.nat(3),
    wallet: fc.nat(5),
    flags: fc.constantFrom(
      0,
      OrderFlag.POST_ONLY,
      OrderFlag.BOUND_WALLET,
      OrderFlag.POST_ONLY | OrderFlag.BOUND_WALLET,
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50, size: 'max' }), (steps) => {
      const harness = new Harness();
      const owners = new Map<number, number>();
      for (const owner of [0, 1, 2, 3]) {
        const keyId = keyIdOf(owner, 0, 0, 0);
        harness.run({
          type: 'CreateApiKey',
          owner: address(owner),
          keyId,
          nonce: 0,
          generation: 0,
          kind: 0,
          items: [],
        });
      }
      for (const { isBinding, owner, wallet, flags } of steps) {
        const bound = owners.get(wallet);
        const isOthers = bound !== undefined && bound !== owner;
        if (isBinding) {
          const events = harness.run({
            type: 'BindWallet',
            owner: address(owner),
            wallet: address(wallet),
            signatureType: 1,
          });
          const isOwner = wallet <= 3; // they all have a key: theirs is the address itself
          const isRefused = isOthers || isOwner;
          expect(events).toMatchObject([{ type: isRefused ? 'Rejected' : 'WalletBound' }]);
          if (!isRefused) owners.set(wallet, owner);
        } else {
          const isRefused = isOthers || ((flags & OrderFlag.BOUND_WALLET) !== 0 && bound !== owner);
          for (const command of walletCommands(owner, address(wallet), flags)) {
            expect(harness.outcome(command), command.type).toBe(isRefused ? 'WALLET_NOT_OWNED' : 'accepted');
          }
        }
      }
    }),
    { numRuns: 150, seed: 21 },
  );
});

test('an order, split, merge or redemption that needs a bound wallet is refused without the binding', () => {
  const harness = new Harness();
  const key = { keyId: keyIdOf(1, 0, 0, 0), nonce: 0, generation: 0, kind: ApiKeyKind.TRADING };
  harness.run({ type: 'CreateApiKey', owner: address(1), ...key });
  const outcomes = (wallet: string, flags: number): string[] =>
    walletCommands(1, wallet, flags).map((command) => harness.outcome(command));
  const [accepted, refused] = ['accepted', 'WALLET_NOT_OWNED'].map((outcome) => Array(4).fill(outcome));
  expect(outcomes(address(9), 0)).toEqual(accepted);
  expect(outcomes(address(9), OrderFlag.BOUND_WALLET)).toEqual(refused);
  harness.run({ type: 'BindWallet', owner: address(1), wallet: address(9), signatureType: 2 });
  expect(outcomes(address(9), OrderFlag.BOUND_WALLET)).toEqual(accepted);
  // An owner's own address cannot be bound, so it is never a bound wallet.
  expect(outcomes(address(1), OrderFlag.BOUND_WALLET)).toEqual(refused);
  harness.run({ type: 'CreateApiKey', owner: address(2), ...key, keyId: keyIdOf(2, 0, 0, 0) });
  for (const flags of [0, OrderFlag.BOUND_WALLET]) {
    const others = walletCommands(2, address(9), flags).map((command) => harness.outcome(command));
    expect(others).toEqual(refused);
  }
});

test.each([
  ['', false],
  [', also after a start from a snapshot', true],
])('only rules version 1 lets the address of an owner with a key be bound to another owner%s', (_, isRestarted) => {
  const settings = { orderWindowMs: 1, heartbeatWindowMs: 1, minedDelayMs: 0, confirmedDelayMs: 0, creditMicro: 0 };
  const key = { keyId: keyIdOf(1, 0, 0, 0), nonce: 0, generation: 0, kind: 0, items: [] };
  const bind: Command = { type: 'BindWallet', owner: address(2), wallet: address(1), signatureType: 1 };
  const outcomes = Object.values(RulesVersion).map((rulesVersion) => {
    const harness = new Harness();
    harness.run({ type: 'Started', rulesVersion, ...settings });
    harness.run({ type: 'CreateApiKey', owner: address(1), ...key });
    if (isRestarted) harness.restart();
    return harness.outcome(bind);
  });
  const [underFirst, ...underLater] = outcomes;
  expect(underFirst).toBe('accepted');
  expect(new Set(underLater)).toEqual(new Set(['WALLET_TAKEN']));
});

test('the zero address cannot be bound', () => {
  const harness = new Harness();
  const zero = hex(0, 20);
  const command: Command = { type: 'BindWallet', owner: address(1), wallet: zero, signatureType: 1 };
  expect(harness.outcome(command)).toBe('WALLET_TAKEN');
});

test('among 3,000 keys, each one tried is accepted for its owner only', () => {
  const harness = new Harness();
  const count = 3_000;
  const out = new EventWriter();
  const message = new Message();
  for (let owner = 0; owner < count; owner += 1) {
    const keyId = keyIdOf(owner, 0, 0, 0);
    const terms = { owner: address(owner), keyId, nonce: 0, generation: 0, kind: 0 };
    const bytes = encodeCommand({ type: 'CreateApiKey', ...terms, items: [] });
    message.take(bytes);
    out.begin();
    harness.registry.record(1, message, 0, bytes.length, out);
  }
  harness.registry.checkInvariants();
  for (const owner of [0, 1, 1023, 1024, count - 1]) {
    const keyId = keyIdOf(owner, 0, 0, 0);
    expect(harness.outcome({ type: 'CancelAll', owner: address(owner), keyId })).toBe('accepted');
    expect(harness.outcome({ type: 'CancelAll', owner: address(owner + 1), keyId })).toBe('KEY_UNKNOWN');
  }
});

test('a key is accepted for its own owner alone, whichever byte of the address is another', () => {
  const harness = new Harness();
  const keyId = keyIdOf(1, 0, 0, 0);
  const owner = '0x00112233445566778899aabbccddeeff01234567';
  harness.run({ type: 'CreateApiKey', owner, keyId, nonce: 0, generation: 0, kind: 0, items: [] });
  expect(harness.outcome({ type: 'CancelAll', owner, keyId })).toBe('accepted');
  for (let digit = 2; digit < owner.length; digit += 1) {
    const other = `${owner.slice(0, digit)}${owner[digit] === '7' ? '8' : '7'}${owner.slice(digit + 1)}`;
    expect(harness.outcome({ type: 'CancelAll', owner: other, keyId })).toBe('KEY_UNKNOWN');
  }
});

test('events are numbered from 1 and their slugs are unique', () => {
  const harness = new Harness();
  const create = (slug: string): Command => ({ type: 'CreateEvent', negRisk: 0, tail: tailOf({ slug, title: 'T' }) });
  expect(harness.run(create('a'))).toEqual([{ type: 'EventCreated', eventNumber: 1 }]);
  expect(harness.run(create('b'))).toEqual([{ type: 'EventCreated', eventNumber: 2 }]);
  expect(harness.outcome(create('a'))).toBe('SLUG_EXISTS');
});

test('a market needs a known event and a unique condition, tokens and slug', () => {
  const harness = new Harness();
  expect(harness.outcome(marketOf(0))).toBe('accepted');
  expect(harness.outcome(marketOf(1, { eventNumber: 1 }))).toBe('EVENT_UNKNOWN');
  harness.run({ type: 'CreateEvent', negRisk: 0, tail: tailOf({ slug: 'market-0' }) });
  expect(harness.outcome(marketOf(1, { eventNumber: 1 }))).toBe('accepted');
  const [first, second] = [marketOf(0), marketOf(1)];
  expect(harness.outcome(marketOf(2, { conditionId: first.conditionId }))).toBe('MARKET_EXISTS');
  expect(harness.outcome(marketOf(2, { firstToken: first.secondToken }))).toBe('TOKEN_EXISTS');
  expect(harness.outcome(marketOf(2, { secondToken: second.firstToken }))).toBe('TOKEN_EXISTS');
  expect(harness.outcome(marketOf(2, { secondToken: marketOf(2).firstToken }))).toBe('TOKEN_EXISTS');
  expect(harness.outcome(marketOf(2, { tail: tailOf({ slug: 'market-1' }) }))).toBe('SLUG_EXISTS');
  expect(harness.outcome(marketOf(2))).toBe('accepted');
});

test('invalid terms of a new market are rejected with the field at fault', () => {
  const harness = new Harness();
  const cases: readonly (readonly [Partial<CommandOf<'CreateMarket'>>, number])[] = [
    [{ tickPips: 20 }, MarketField.TICK],
    [{ minOrderLots: 0 }, MarketField.MIN_ORDER],
    [{ minOrderLots: 1_000_000_001 }, MarketField.MIN_ORDER],
    [{ feeRate: 1_001 }, MarketField.FEE],
    [{ feeExponent: 0 }, MarketField.FEE],
    [{ feeExponent: 5 }, MarketField.FEE],
    [{ delaySeconds: 3_601 }, MarketField.DELAY],
    [{ status: 3 }, MarketField.STATUS],
    [{ status: 4 }, MarketField.STATUS],
  ];
  for (const [change, field] of cases) {
    expect(harness.run(marketOf(0, change))).toMatchObject([{ type: 'Rejected', code: 41, a: field }]);
  }
  const extreme = { minOrderLots: 1_000_000_000, feeRate: 1_000, feeExponent: 4, delaySeconds: 3_600, status: 0 };
  expect(harness.outcome(marketOf(0, extreme))).toBe('accepted');
});

test('text updates are merged, and a slug can change only to a free one', () => {
  const harness = new Harness();
  const update = (marketIndex: number, tail?: Uint8Array): Command => {
    const command = { type: 'UpdateMarket', marketIndex, mask: 0, ...terms } as const;
    return tail === undefined ? command : { ...command, tail };
  };
  harness.run(marketOf(0));
  harness.run(marketOf(1));
  const before = harness.registry.stateHash();
  expect(harness.outcome(update(0))).toBe('accepted');
  expect(harness.registry.stateHash()).toBe(before);
  expect(harness.outcome(update(1, tailOf({ slug: 'market-0' })))).toBe('SLUG_EXISTS');
  expect(harness.outcome(update(1, tailOf({ slug: 'market-1', question: 'Will it snow?' })))).toBe('accepted');
  expect(harness.registry.stateHash()).not.toBe(before);
  expect(harness.outcome(update(0, tailOf({ slug: 'renamed' })))).toBe('accepted');
  expect(harness.outcome(update(1, tailOf({ slug: 'market-0' })))).toBe('accepted');
  expect(harness.outcome(marketOf(2, { tail: tailOf({ slug: 'renamed' }) }))).toBe('SLUG_EXISTS');
  expect(harness.outcome(marketOf(2, { tail: tailOf({ slug: 'market-1' }) }))).toBe('accepted');
});

test('a command inside a larger message is read at its offset', () => {
  const harness = new Harness();
  const keyId = keyIdOf(1, 0, 0, 0);
  const create = encodeCommand({
    type: 'CreateApiKey',
    owner: address(1),
    keyId,
    nonce: 0,
    generation: 0,
    kind: 0,
    items: [],
  });
  const order = encodeCommand(orderOf(1, keyId));
  const message = new Message();
  const out = new EventWriter();
  message.bytes.set(create, 8);
  message.bytes.set(order, 504);
  out.begin();
  harness.registry.record(1, message, 8, create.length, out);
  expect(harness.registry.admit(message, 504, order.length, out)).toBe(true);
  harness.registry.checkInvariants();
});
