// Draws the steps of one seed: which profiles act and how much, how many commands a burst has, which faults come and how
// often, how time passes. Used by the runner; the same seed gives the same steps as long as the exchange behaves the same.
// It does not judge what is right.
import { type Command, type EngineSettings, MICRO_MAX } from '../../engine/index.ts';
import { Views } from '../../server/views/index.ts';
import { keyOf, walletOf } from '../model/names.ts';
import { Random } from '../model/random.ts';
import { newMarket } from './operators.ts';
import { type ProfileName, profiles } from './profiles.ts';
import { Sight } from './sight.ts';
import type { Damage, Step } from './steps.ts';

/** Most open orders before some are cleared away. */
const OPEN_ORDERS_MAX = 400;
/**
 * Most commands of a burst, and the percentage of bursts followed
 * by a fault: a seed has as many faults whatever the burst size.
 */
const BURSTS = [
  [2, 0.1],
  [16, 0.5],
  [64, 2],
  [64, 2],
  [128, 3],
  [128, 3],
  [256, 4],
  [256, 4],
] as const;
const HOUR_MS = 3_600_000;
/** The ranges of waits between commands (ms), with their weights. */
const WAITS: readonly (readonly [weight: number, range: readonly [lowMs: number, highMs: number]])[] = [
  [100, [1, 50]],
  [30, [50, 3_000]],
  [3, [3_000, 90_000]],
  [1, [HOUR_MS / 2, 2 * HOUR_MS]],
];

/** A shorter sleep is not told from a clock that runs a little ahead. */
const SLEEP_MS_MIN = 1_001;
/** The percentage of starts that bring other settings. */
const NEW_SETTINGS_PERCENT = 40;

function drawSettings(random: Random): EngineSettings {
  return {
    orderWindowMs: random.pick([5_000, HOUR_MS, 24 * HOUR_MS]),
    heartbeatWindowMs: random.pick([1_000, 10_000]),
    minedDelayMs: random.pick([0, 0, 700]),
    confirmedDelayMs: random.pick([0, 0, 300]),
    creditMicro: random.pick([0, 0, 5_000_000]),
  };
}

export class Flow {
  /** Those of the first start. */
  readonly settings: EngineSettings;
  /** Names of the profiles that act. */
  readonly cast: readonly ProfileName[];
  private readonly random: Random;
  private readonly sight: Sight;
  private readonly queue: Command[] = [];
  private readonly steps: Step[] = [];
  private readonly weights: readonly (readonly [number, ProfileName])[];
  private readonly burstMax: number;
  /** Percentage of bursts that a fault follows. */
  private readonly faultPercent: number;
  /** Percentage of commands that come without a wait. */
  private readonly noWaitPercent: number;
  private burstLeft = 0;
  private burstCount = 0;

  constructor(seed: number) {
    const random = new Random(seed);
    this.random = random;
    const [owners, wallets, markets] = [random.int(2, 8), random.int(1, 3), random.int(1, 8)];
    this.sight = new Sight(random, new Views(), owners, wallets);
    const names = Object.keys(profiles) as ProfileName[]; // the keys of the literal
    const drawn = names.filter(() => random.chance(35));
    this.cast = ['maker', 'sweeper', ...drawn.filter((name) => name !== 'maker' && name !== 'sweeper')];
    this.weights = this.cast.map((name, index) => [index < 2 ? random.int(8, 20) : random.int(1, 8), name]);
    const [burstMax, faultFactor] = random.pick(BURSTS);
    this.burstMax = burstMax;
    this.faultPercent = random.pick([0, 1, 2, 4]) * faultFactor;
    this.noWaitPercent = random.pick([60, 90, 97]);
    this.settings = drawSettings(random);
    this.queueOpening(owners, markets, random.pick([2_000_000, 200_000_000, 10_000_000_000]));
    // Nobody acts before the views show the initial balances.
    for (const command of this.queue.splice(0)) this.steps.push({ kind: 'command', waitMs: 0, command });
    this.steps.push({ kind: 'flush' });
  }

  /** The next step, given what clients can see. */
  next(views: Views, nowMs: number, openOrders: number): Step {
    const planned = this.steps.shift();
    if (planned !== undefined) return planned;
    this.sight.views = views;
    if (this.burstLeft === 0) {
      this.burstLeft = this.random.int(1, this.burstMax);
      this.burstCount += 1;
      this.endBurst();
      const first = this.steps.shift();
      if (first !== undefined) return first;
    }
    this.burstLeft -= 1;
    const waitMs = this.queue.length > 0 ? 0 : this.drawWait();
    this.sight.nowMs = nowMs + waitMs;
    return { kind: 'command', waitMs, command: this.queue.shift() ?? this.draw(openOrders) };
  }

  private queueOpening(owners: number, markets: number, depositMicro: number): void {
    const { random, sight, queue } = this;
    for (let owner = 0; owner < owners; owner += 1) {
      const items = sight.actors.filter((actor) => actor.owner === walletOf(owner, 0)).map(({ wallet }) => wallet);
      const key = { owner: walletOf(owner, 0), keyId: keyOf(owner, 0), nonce: 0, generation: 0, kind: 0 };
      queue.push({ type: 'CreateApiKey', ...key, items });
    }
    for (const negRisk of [0, 1]) queue.push({ type: 'CreateEvent', negRisk });
    for (let index = 0; index < markets; index += 1) queue.push(newMarket(sight, index, 2));
    for (const { owner, wallet, keys } of sight.actors) {
      if (random.chance(90)) queue.push({ type: 'Deposit', wallet, owner, amountMicro: depositMicro, isFaucet: 0 });
      for (let marketIndex = 0; marketIndex < markets; marketIndex += 1) {
        if (random.chance(50)) continue;
        const amountMicro = Math.floor(depositMicro / 20);
        queue.push({ type: 'Split', wallet, owner, keyId: keys[0], marketIndex, amountMicro, flags: 0 });
      }
    }
  }

  private draw(openOrders: number): Command {
    const { random, sight } = this;
    if (openOrders > OPEN_ORDERS_MAX && random.chance(5)) {
      const { owner, keys } = sight.actor();
      return { type: 'CancelAll', owner, keyId: keys[0] };
    }
    const drawn = profiles[random.weighted(this.weights)](sight);
    if ('type' in drawn) return withCappedAmounts(drawn);
    const [first, ...rest] = drawn.map(withCappedAmounts);
    this.queue.push(...rest);
    return first ?? { type: 'Tick' };
  }

  private drawWait(): number {
    const { random } = this;
    if (random.chance(this.noWaitPercent)) return 0;
    const [lowMs, highMs] = random.weighted(WAITS);
    return random.int(lowMs, highMs);
  }

  /** After a burst the disk finishes, now or after more commands; now and then something goes wrong. */
  private endBurst(): void {
    const { random, steps } = this;
    if (random.chance(15)) {
      steps.push({ kind: 'hand over' });
      return;
    }
    const isFaulty = this.burstCount > 2 && random.chance(this.faultPercent);
    if (isFaulty) steps.push(...this.drawFault());
    else steps.push({ kind: 'flush' });
  }

  private drawFault(): Step[] {
    const { random } = this;
    const ticks = (count: number): Step[] =>
      Array.from({ length: count }, () => ({
        kind: 'command',
        waitMs: random.int(0, 2_000),
        command: { type: 'Tick' },
      }));
    return random.weighted<() => Step[]>([
      [4, () => [{ kind: 'refuse', writes: random.int(1, 3) }, { kind: 'flush' }]],
      [4, () => [{ kind: 'lose answer' }, { kind: 'flush' }]],
      [3, () => [{ kind: 'full' }, ...ticks(random.int(1, 4)), { kind: 'flush' }]],
      [1, () => [{ kind: 'dead' }, ...ticks(2), { kind: 'flush' }]],
      [1, () => [{ kind: 'lose answer' }, { kind: 'dead' }, { kind: 'flush' }]],
      [6, () => [...this.drawClockFault(), { kind: 'flush' }]],
      [6, () => [{ kind: 'snapshot' }]],
      [2, () => [{ kind: 'restart', isFromSnapshot: random.chance(70), settings: this.drawNewSettings() }]],
      [6, () => [this.drawCrash()]],
    ])();
  }

  private drawClockFault(): Step[] {
    const { random } = this;
    const jump = (lowMs: number, highMs: number): Step => ({ kind: 'jump', byMs: random.int(lowMs, highMs) });
    return random.weighted<() => Step[]>([
      [3, () => [jump(-100_000, 100_000)]],
      [3, () => [jump(1, HOUR_MS)]],
      [4, () => [{ kind: 'sleep', forMs: random.int(SLEEP_MS_MIN, random.pick([12_000, 12_000, HOUR_MS])) }]],
      // The exchange starts far behind its log; then the clock is set right, or nearly so.
      [1, () => [jump(-300_000, -60_000), { kind: 'restart', isFromSnapshot: true }, jump(60_000, 300_000)]],
    ])();
  }

  private drawCrash(): Step {
    const { random } = this;
    const kind = random.pick<Damage['kind']>(['flip', 'flip', 'tear', 'hole']);
    const damage = { kind, place: random.int(0, 999_999) / 1_000_000, bit: random.int(0, 7) };
    return {
      kind: 'crash',
      isWritten: random.chance(50),
      damage: random.chance(80) ? damage : undefined,
      isTwice: random.chance(20),
      isFromSnapshot: random.chance(70),
      settings: this.drawNewSettings(),
    };
  }

  private drawNewSettings(): EngineSettings | undefined {
    return this.random.chance(NEW_SETTINGS_PERCENT) ? drawSettings(this.random) : undefined;
  }
}

/**
 * The command with amounts capped at the largest one that it can express: an actor with nearly the maximum of money would ask
 * for more shares than that.
 */
function withCappedAmounts(command: Command): Command {
  if (command.type !== 'PlaceOrder') return command;
  const { makerAmountMicro, takerAmountMicro } = command;
  if (makerAmountMicro <= MICRO_MAX && takerAmountMicro <= MICRO_MAX) return command;
  return {
    ...command,
    makerAmountMicro: Math.min(makerAmountMicro, MICRO_MAX),
    takerAmountMicro: Math.min(takerAmountMicro, MICRO_MAX),
  };
}
