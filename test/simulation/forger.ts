// The forger of a simulation: commands with wrong keys, wallets of others, old ids and times, and the keys, credits and bindings
// by which rights change hands. Used by profiles.ts. It reads only the views and does not judge what is right.
import { ApiKeyKind, type Command, type CommandOf, MICRO_MAX, OrderFlag, OrderType } from '../../engine/index.ts';
import { walletOf } from '../model/names.ts';
import { tailOf } from '../support/commandParts.ts';
import { maker, type Profile } from './actors.ts';
import { newEvent } from './operators.ts';
import type { Sight } from './sight.ts';

/** Wrong keys, wallets of others, old ids and times, keys and wallets that change hands. */
export const forger: Profile = (sight) => {
  const { random } = sight;
  const draft = maker(sight);
  const command = Array.isArray(draft) ? draft[0] : draft;
  if (random.chance(15)) return rights(sight);
  if (command.type !== 'PlaceOrder') return command;
  const old = sight.recent();
  const other = sight.actor();
  const spoils: readonly (() => Command)[] = [
    () => ({ ...command, keyId: other.keys[1] }),
    () => ({ ...command, keyId: random.pick(keysOfAll(sight, command.owner)) }),
    () => ({ ...command, owner: other.owner, keyId: other.keys[0] }),
    () => ({ ...command, flags: command.flags | OrderFlag.BOUND_WALLET }),
    () => ({ ...command, orderId: old?.id ?? command.orderId, timestampMs: old?.timestampMs ?? command.timestampMs }),
    () => sight.signedAt(command, Math.max(0, command.timestampMs - random.pick([1, 100_000_000, 3_600_000]))),
    () => ({ ...command, expirationS: Math.floor(sight.nowMs / 1000) + random.int(55, 65), orderType: OrderType.GTD }),
    () => ({ ...command, makerAmountMicro: random.pick([0, 1, MICRO_MAX]) }),
    () => ({ ...command, marketIndex: sight.views.markets.list().length + random.int(0, 1) }),
    () => ({ ...command, orderType: OrderType.FAK, flags: OrderFlag.POST_ONLY }),
    () => ({ ...command, expirationS: Math.floor(sight.nowMs / 1000) + 3_600 }),
    () => ({ ...command, tail: tailOf({ signatureType: random.int(0, 3), salt: String(random.int(0, MICRO_MAX)) }) }),
    () => withAmounts(command, (micro) => micro * 1_000_000),
    () => withAmounts(command, (micro) => micro * 10_000_000),
    () => withAmounts(command, (micro) => Math.floor(micro / 1_000_000)),
  ];
  return random.pick(spoils)();
};

const withAmounts = (order: CommandOf<'PlaceOrder'>, scaled: (micro: number) => number): Command => ({
  ...order,
  makerAmountMicro: scaled(order.makerAmountMicro),
  takerAmountMicro: scaled(order.takerAmountMicro),
});

/** The trading keys that an owner has or had, and the one that it may get. */
const keysOfAll = ({ views, actors }: Sight, owner: string): readonly string[] => [
  ...views.keys
    .allOf(owner)
    .filter(({ kind }) => kind === ApiKeyKind.TRADING)
    .map(({ keyId }) => keyId),
  actors[0].keys[1],
];

/** Keys come and go, wallets change hands, owners are credited. */
function rights(sight: Sight): Command | readonly Command[] {
  const { random } = sight;
  const { owner, wallet, keys } = sight.actor();
  const items = [owner, walletOf(random.int(0, 7), 1)];
  const created = { type: 'CreateApiKey', owner, items } as const;
  const terms = { nonce: random.int(0, 2), generation: random.int(0, 2), kind: random.pick([0, 0, 1, 2]) };
  return random.weighted<() => Command | readonly Command[]>([
    [30, () => ({ ...created, ...terms, keyId: random.chance(50) ? keys[1] : sight.newKey(owner) })],
    [15, () => ({ type: 'DeleteApiKey', owner, keyId: keys[1] })],
    [
      // An owner without a key could do nothing more, so it gets another one at once.
      5,
      () => [
        { type: 'DeleteApiKey', owner, keyId: keys[0] },
        { ...created, nonce: 0, generation: 1, kind: ApiKeyKind.TRADING, keyId: sight.newKey(owner) },
      ],
    ],
    [15, () => binding(sight, owner, wallet)],
    [10, () => ({ type: 'CreditOwner', owner: walletOf(random.int(0, 7), 0), items })],
    [10, () => newEvent(sight)],
  ])();
}

/** Binds a wallet to its owner or to another, now and then an owner's own address. */
function binding({ random, actors }: Sight, owner: string, wallet: string): Command {
  return {
    type: 'BindWallet',
    owner: random.chance(60) ? owner : random.pick(actors).owner,
    wallet: random.chance(50) ? wallet : walletOf(random.int(0, 3), random.int(0, 4)),
    signatureType: random.int(0, 3),
  };
}
