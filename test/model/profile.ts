// The character of one generated sequence: its actors, kinds of markets, sizes and prices, drawn from the seed. Used by the
// generator; the simulation uses the actors too.
import { TICK_SIZES_PIPS } from '../../engine/protocol/index.ts';
import { FEES_WALLET, HOUSE_WALLET, keysOf, walletOf } from './names.ts';
import type { Random } from './random.ts';
import type { State } from './referenceState.ts';

/** An actor: a wallet with its owner and keys. */
export interface Actor {
  readonly owner: string;
  readonly wallet: string;
  readonly keys: readonly string[];
}

/** The actors of the first owners, each with as many wallets. */
export function makeActors(ownerCount: number, walletCount: number): Actor[] {
  const actors: Actor[] = [];
  for (let owner = 0; owner < ownerCount; owner += 1) {
    const keys = keysOf(walletOf(owner, 0));
    for (let wallet = 0; wallet < walletCount; wallet += 1) {
      actors.push({ owner: walletOf(owner, 0), wallet: walletOf(owner, wallet), keys });
    }
  }
  return actors;
}

/** The actor under its wallet's current owner. */
export function actorNow(state: State, actor: Actor): Actor {
  const owner = state.accountOfWallet.get(actor.wallet)?.owner ?? actor.owner;
  return { ...actor, owner, keys: keysOf(owner) };
}

/** The character of one sequence, drawn from its seed. */
export interface Profile {
  readonly actors: readonly Actor[];
  readonly marketsMax: number;
  readonly ticks: readonly number[];
  readonly isHuge: boolean;
  readonly hasFees: boolean;
  readonly hasDelays: boolean;
  readonly minimums: readonly (readonly [lots: number, buyMicro: number])[];
  /** Prices lie around this one (pips of the first token), at most `spreadTicks` away. */
  readonly centrePips: number;
  readonly spreadTicks: number;
  readonly lotsMax: number;
  readonly depositMicro: number;
  /** All times are multiples of this: with whole seconds, expirations, releases and heartbeats fall due together. */
  readonly clockStepMs: number;
  /** Percentage of orders that are spoiled on purpose. */
  readonly badPercent: number;
}

export function drawProfile(random: Random): Profile {
  const ownerCount = random.int(2, 8);
  const walletCount = random.int(1, 3);
  const actors = makeActors(ownerCount, walletCount);
  // Nobody can sign for the fee account, but checking that it would trade correctly costs nothing.
  if (random.chance(5)) actors.push({ owner: FEES_WALLET, wallet: FEES_WALLET, keys: keysOf(FEES_WALLET) });
  if (random.chance(30)) actors.push({ owner: HOUSE_WALLET, wallet: HOUSE_WALLET, keys: keysOf(HOUSE_WALLET) });
  const isHuge = random.chance(15);
  const lotsMax = isHuge ? 1_000_000_000 : random.pick([2, 10, 1_000, 100_000]);
  return {
    actors,
    marketsMax: random.int(1, 4),
    ticks: random.chance(40) ? [100] : TICK_SIZES_PIPS,
    isHuge,
    hasFees: random.chance(60),
    hasDelays: random.chance(40),
    minimums: random.pick([
      [[1, 0]],
      [[500, 1_000_000]],
      [
        [1, 0],
        [500, 1_000_000],
        [3, 50_000],
      ],
    ] as const),
    centrePips: random.pick([5_000, 5_000, 3_300, 9_500, 500, 9_990, 15]),
    spreadTicks: random.pick([2, 5, 12]),
    lotsMax,
    depositMicro: isHuge ? 10 ** 15 : lotsMax * random.pick([10_000, 50_000, 500_000]),
    clockStepMs: random.pick([1, 1, 500, 1_000]),
    badPercent: random.pick([2, 5, 15]),
  };
}
