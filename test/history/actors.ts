// The actors of the random histories, and the commands that create their world: owners with keys and wallets, events,
// markets with texts that are awkward on purpose. Used by world.ts; everything follows from a seed.
import type { Command } from '../../engine/index.ts';
import type { Random } from '../model/random.ts';
import { digest, tailOf } from '../support/commandParts.ts';

export const START_MS = 1_750_000_000_000;
/** The account that gets the other leg of test shares: a wallet like any other once it has a key. */
const HOUSE_WALLET = `0x${'2'.padStart(40, '0')}`;

/** A wallet that trades, with its owner and key. */
export interface Actor {
  readonly owner: string;
  readonly keyId: string;
  readonly wallet: string;
}

/** Owners of one to three wallets each; sometimes the house acts too. */
export function drawActors(random: Random, seed: number): Actor[] {
  const actors: Actor[] = [];
  const ownerCount = random.int(2, 4);
  for (let index = 0; index < ownerCount; index += 1) {
    const owner = digest(`owner ${seed}/${index}`, 20);
    const keyId = digest(`key ${owner}`, 16);
    const walletCount = random.chance(30) ? random.int(2, 3) : 1;
    for (let number = 0; number < walletCount; number += 1) {
      actors.push({ owner, keyId, wallet: number === 0 ? owner : digest(`wallet ${owner}/${number}`, 20) });
    }
  }
  if (random.chance(30)) actors.push({ owner: HOUSE_WALLET, keyId: digest('house key', 16), wallet: HOUSE_WALLET });
  return actors;
}

/** A key for each owner, money for each wallet. */
export function actorCommands(actors: readonly Actor[], amountMicro: number): Command[] {
  const owners = new Map(actors.map(({ owner, keyId }) => [owner, keyId]));
  const keys = [...owners].map(
    ([owner, keyId]): Command => ({ type: 'CreateApiKey', owner, keyId, nonce: 0, generation: 0, kind: 0, items: [] }),
  );
  const deposits = actors.map(
    ({ wallet, owner }): Command => ({ type: 'Deposit', wallet, owner, amountMicro, isFaucet: 0 }),
  );
  return [...keys, ...deposits];
}

const QUESTIONS = ['Will it rain?', 'WILL "snow" fall\\rise', 'Größer als 1 €?', 'will it', 'Zürich 🙂 first', ''];
const END_DATES = ['2026-11-03T00:00:00Z', '2026-01-05', '2027-06-30T12:34:56.789Z', 'soon', '', undefined];

function eventTexts(random: Random, seed: number, number: number) {
  return {
    slug: `event-${seed}-${number}`,
    title: random.pick(QUESTIONS),
    ...(random.chance(40) ? { icon: `/images/event-${number}.png` } : {}),
    ...(random.chance(40) ? { endDate: random.pick(END_DATES) } : {}),
  };
}

/** The texts of a market: any of them may be missing, empty or odd. */
export function marketTexts(random: Random, slug: string) {
  return {
    slug,
    question: random.pick(QUESTIONS),
    endDate: random.pick(END_DATES),
    ...(random.chance(40) ? { icon: `/images/${slug}.png` } : {}),
    ...(random.chance(30) ? { outcomes: random.pick([['Up', 'Down'], ['A "quote"', 'B'], ['one']]) } : {}),
    ...(random.chance(40) ? { lastPrice: random.pick(['0.37', '0.5', '1', '0', '0.1234', 'much']) } : {}),
    ...(random.chance(10) ? { archived: true } : {}),
  };
}

const terms = (random: Random, isLively: boolean) => ({
  negRisk: random.chance(30) ? 1 : 0,
  autoTick: random.chance(20) ? 1 : 0,
  feeExponent: random.int(1, 2),
  tickPips: random.pick([100, 100, 10, 1000, 50, 1]),
  feeRate: random.pick([0, 0, 200, 1000]),
  minOrderLots: 1,
  delaySeconds: !isLively && random.chance(10) ? 1 : 0,
  minMarketableBuyMicro: 0,
});

/** Up to two events after the existing ones, and `marketCount` markets inside or outside of them. */
export function marketCommands(random: Random, seed: number, marketCount: number, eventsBefore: number): Command[] {
  const commands: Command[] = [];
  const eventCount = random.int(0, 2);
  for (let number = 1; number <= eventCount; number += 1) {
    const tail = tailOf(eventTexts(random, seed, number));
    commands.push({ type: 'CreateEvent', negRisk: random.chance(30) ? 1 : 0, tail });
  }
  for (let market = 0; market < marketCount; market += 1) {
    const name = `${seed}/${market}`;
    const inEvent = random.int(0, eventCount);
    commands.push({
      ...{
        type: 'CreateMarket',
        eventNumber: inEvent && eventsBefore + inEvent,
        status: 1,
        ...terms(random, market === 0),
      },
      ...{ conditionId: digest(`condition ${name}`, 32), firstToken: digest(`first ${name}`, 32) },
      ...{ secondToken: digest(`second ${name}`, 32), tail: tailOf(marketTexts(random, `market-${seed}-${market}`)) },
    });
  }
  return commands;
}
