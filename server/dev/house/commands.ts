// The house's commands in flight: planned in a step, signed and submitted a few in each turn of the loop, their outcomes
// collected by market. Called by house.ts, which decides what to do and when. A refusal is never an error here.
import { type LogRecord, rejectionName } from '../../../engine/index.ts';
import type { Services } from '../../services.ts';
import { BadRequest } from '../../wire/badRequest.ts';
import { encodeOrder, type HouseAccount, type HouseOrder, refusalOf, renewKey } from './accounts.ts';
import type { Desk } from './desk.ts';
import type { Schedule } from './schedule.ts';

/** Refusals that only mean that somebody else was faster. */
const EXPECTED_REJECTIONS: ReadonlySet<string> = new Set(['POST_ONLY_CROSSES', 'FAK_NOT_MATCHED', 'FOK_NOT_FILLED']);

type OrderKind = 'quote' | 'take';

/** The outcome of one market's commands in one step. */
export interface Outcome {
  isRefused: boolean;
  /** Whether a taker's order has traded; `isDelayed`: whether one waits for its market's delay. */
  hasTraded: boolean;
  isDelayed: boolean;
}

export class HouseCommands {
  /** Number of refused commands, by the name of the rejection. */
  readonly refusals = new Map<string, number>();
  private readonly services: Services;
  private readonly schedule: Schedule;
  private readonly outcomes = new Map<Desk, Outcome>();
  /** Accounts whose key no longer exists. */
  private readonly keyless = new Set<HouseAccount>();
  /** Not yet signed or submitted. */
  private planned: (() => void)[] = [];
  private pending: Promise<void>[] = [];
  /** The reason why a command got no answer. */
  private failure: unknown;

  constructor(services: Services, schedule: Schedule) {
    this.services = services;
    this.schedule = schedule;
  }

  /** Starts recording the outcome of a market's commands, for `settle`. */
  watch(desk: Desk): void {
    this.outcomes.set(desk, { isRefused: false, hasTraded: false, isDelayed: false });
  }

  /** Plans an order. For a `take`, trades and delays are recorded. */
  place(desk: Desk, account: HouseAccount, order: HouseOrder, kind: OrderKind): void {
    this.planned.push(() => {
      try {
        this.submitNow(desk, account, encodeOrder(this.services, account, order), kind);
      } catch (error) {
        if (!(error instanceof BadRequest)) throw error;
        this.refused(desk, error.message);
      }
    });
  }

  /** Plans a command other than an order. */
  submit(desk: Desk, account: HouseAccount, bytes: Uint8Array): void {
    this.planned.push(() => this.submitNow(desk, account, bytes));
  }

  /**
   * Signs and submits the planned commands in order, a few in each turn of the loop, so requests don't wait for all of
   * them.
   */
  async submitPlanned(): Promise<void> {
    const { planned } = this;
    this.planned = [];
    for (const submit of planned) {
      const pause = this.schedule.pause();
      if (pause !== undefined) await pause;
      submit();
    }
  }

  private submitNow(desk: Desk, account: HouseAccount, bytes: Uint8Array, kind?: OrderKind): void {
    const answered = this.services.exchange.submit(bytes).then(
      (record) => this.answer(desk, account, record, kind),
      (error: unknown) => {
        this.failure ??= error;
      },
    );
    this.pending.push(answered);
  }

  private answer(desk: Desk, account: HouseAccount, record: LogRecord, kind: OrderKind | undefined): void {
    const refusal = refusalOf(record);
    if (refusal !== undefined) {
      const name = rejectionName(refusal.code);
      if (name === 'KEY_UNKNOWN') this.keyless.add(account);
      this.refused(desk, name);
      return;
    }
    const outcome = this.outcomes.get(desk);
    if (outcome === undefined || kind !== 'take') return;
    outcome.hasTraded ||= record.events.some(({ type }) => type === 'Trade');
    outcome.isDelayed ||= record.events.some(({ type }) => type === 'OrderDelayed');
  }

  private refused(desk: Desk, name: string): void {
    this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    this.services.log.debug({ market: desk.marketIndex, name }, 'A command of the house was rejected.');
    const outcome = this.outcomes.get(desk);
    if (outcome !== undefined && !EXPECTED_REJECTIONS.has(name)) outcome.isRefused = true;
  }

  /**
   * Waits for all answers, then reports the outcome for each market. Accounts without a key get a new one.
   * @throws the reason why an answer did not come
   */
  async settle(onOutcome: (desk: Desk, outcome: Outcome) => void): Promise<void> {
    const { pending, outcomes, keyless } = this;
    this.pending = [];
    await Promise.all(pending);
    for (const [desk, outcome] of outcomes) onOutcome(desk, outcome);
    outcomes.clear();
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    for (const account of keyless) await renewKey(this.services, account);
    keyless.clear();
  }
}
