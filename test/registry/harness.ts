// A registry alone, as the tests run it: commands go in as bytes, events come out as bytes, as in the pipeline. With the ids and
// the market that its tests share.
import { expect } from 'vitest';
import {
  type Command,
  type CommandOf,
  decodeEvents,
  type EngineEvent,
  EventWriter,
  encodeCommand,
  Message,
  rejectionName,
} from '../../engine/protocol/index.ts';
import { Registry } from '../../engine/registry/index.ts';
import { tailOf } from '../support/commandParts.ts';
import { KeptSections } from '../support/keptSections.ts';

export const hex = (value: number, bytes: number): string => `0x${value.toString(16).padStart(bytes * 2, '0')}`;
export const address = (value: number): string => `0xaa${hex(value, 19).slice(2)}`;
export const keyIdOf = (owner: number, nonce: number, kind: number, generation: number): string =>
  hex(((owner * 16 + nonce) * 4 + kind) * 16 + generation, 16);

/** Runs a command through admit and record, as if the core accepted every command. */
export class Harness {
  registry = new Registry();
  private readonly out = new EventWriter();
  private readonly message = new Message();

  run(command: Command, tMs = 5): EngineEvent[] {
    const bytes = encodeCommand(command);
    const before = this.registry.stateHash();
    this.message.take(bytes);
    this.out.begin();
    const isAdmitted = this.registry.admit(this.message, 0, bytes.length, this.out);
    expect(this.registry.stateHash()).toBe(before);
    expect(isAdmitted).toBe(!this.out.isRejected);
    if (isAdmitted) this.registry.record(tMs, this.message, 0, bytes.length, this.out);
    this.out.finish();
    this.registry.checkInvariants();
    return decodeEvents(this.out.copy());
  }

  /** Goes on with a registry that was loaded from a snapshot of this one. */
  restart(): void {
    const kept = new Map<string, unknown>();
    this.registry.visit(new KeptSections(kept, false));
    this.registry = new Registry();
    this.registry.visit(new KeptSections(kept, true));
    this.registry.checkInvariants();
  }

  /** The name of the refusal, or 'accepted'. */
  outcome(command: Command): string {
    const [event] = this.run(command);
    return event?.type === 'Rejected' ? rejectionName(event.code) : 'accepted';
  }
}

export const terms = {
  ...{ status: 1, negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 100 },
  ...{ feeRate: 0, minOrderLots: 500, delaySeconds: 0, minMarketableBuyMicro: 0 },
};

export const marketOf = (
  number: number,
  change: Partial<CommandOf<'CreateMarket'>> = {},
): CommandOf<'CreateMarket'> => ({
  type: 'CreateMarket',
  eventNumber: 0,
  conditionId: hex(100 + number, 32),
  firstToken: hex(200 + number * 2, 32),
  secondToken: hex(201 + number * 2, 32),
  ...terms,
  tail: tailOf({ slug: `market-${number}`, question: 'Will it rain?' }),
  ...change,
});
