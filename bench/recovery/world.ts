// The world of the recovery bench: commands of owners who post, take and cancel in many markets, and a journal of them with
// the resulting events. Used by bench/recovery.ts. Everything follows from a seed; signatures are not part of it.
import { createHash } from 'node:crypto';
import { Journal, LmdbStore } from '../../engine/journal/index.ts';
import { Reducers } from '../../engine/pipeline/index.ts';
import { type Command, encodeCommand, Message, RULES_VERSION } from '../../engine/protocol/index.ts';
import { SeededRandom } from '../lib/seededRandom.ts';

const START_MS = 1_750_000_000_000;
const OWNERS = 1_000;
const MARKETS = 200;
const ORDERS_A_MS = 5;

const digest = (text: string, bytes: number): string =>
  `0x${createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, bytes * 2)}`;
const textTail = (texts: object): Uint8Array => new TextEncoder().encode(JSON.stringify(texts));
const owners = Array.from({ length: OWNERS }, (_, index) => digest(`owner ${index}`, 20));
const keys = Array.from({ length: OWNERS }, (_, index) => digest(`key ${index}`, 16));

interface TimedCommand {
  readonly tMs: number;
  readonly bytes: Uint8Array;
}

function setUpCommands(): Command[] {
  const settings = { rulesVersion: RULES_VERSION, orderWindowMs: 86_400_000, heartbeatWindowMs: 10_000 };
  const commands: Command[] = [{ type: 'Started', ...settings, minedDelayMs: 0, confirmedDelayMs: 0, creditMicro: 0 }];
  for (let market = 0; market < MARKETS; market += 1) {
    commands.push({
      ...{ type: 'CreateMarket', eventNumber: 0, status: 1, negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 100 },
      ...{ conditionId: digest(`market ${market}`, 32), firstToken: digest(`yes ${market}`, 32), feeRate: 0 },
      ...{ secondToken: digest(`no ${market}`, 32), minOrderLots: 1, delaySeconds: 0, minMarketableBuyMicro: 0 },
      tail: textTail({ slug: `market-${market}`, question: `Question ${market}?`, description: 'As it says.' }),
    });
  }
  for (const [index, owner] of owners.entries()) {
    commands.push({
      ...{ type: 'CreateApiKey', owner, keyId: keys[index], nonce: 0, generation: 0, kind: 0 },
      items: [owner],
    });
    commands.push({ type: 'Deposit', wallet: owner, owner, amountMicro: 2_000_000_000_000, isFaucet: 0 });
  }
  return commands;
}

/**
 * The commands: markets and owners, then `orders` orders.
 * @param crossShare how many of a hundred orders may meet others; the rest rest
 * @param cancelShare how many of a hundred commands after the set-up cancel an order
 */
export function* commandsOf(orders: number, crossShare: number, cancelShare: number): Generator<TimedCommand> {
  for (const command of setUpCommands()) yield { tMs: START_MS, bytes: encodeCommand(command) };
  const random = new SeededRandom(7);
  const below = (count: number): number => (random.word() >>> 0) % count;
  const tail = textTail({ salt: '123456789', signature: '0x'.padEnd(132, 'ab'), signatureType: 0, builder: '' });
  for (let number = 0; number < orders; number += 1) {
    const tMs = START_MS + Math.floor(number / ORDERS_A_MS);
    const trader = below(OWNERS);
    const who = { owner: owners[trader], keyId: keys[trader] };
    if (below(100) < cancelShare && number > 0) {
      const items = [digest(`order ${below(number)}`, 32)];
      yield { tMs, bytes: encodeCommand({ type: 'CancelOrders', ...who, items }) };
    }
    const outcome = below(2);
    const isCrossing = below(100) < crossShare;
    const pips = 100 * (isCrossing ? 40 + below(20) : 5 + below(40));
    const lots = 1 + below(200);
    yield {
      tMs,
      bytes: encodeCommand({
        ...{ type: 'PlaceOrder', ...who, orderId: digest(`order ${number}`, 32), maker: who.owner, outcome },
        ...{ marketIndex: below(MARKETS), side: 0, orderType: 0, flags: 0, makerAmountMicro: lots * pips },
        ...{ takerAmountMicro: lots * 10_000, timestampMs: tMs, expirationS: 0, tail },
      }),
    };
  }
}

/**
 * Commands in one message, each at a multiple of 8 bytes and handed out as a view on demand, as a journal does. Kept as
 * objects, they would be traversed by every garbage collection during the measurement.
 */
export class PackedCommands implements Iterable<TimedCommand> {
  readonly message: Message;
  readonly times: Float64Array;
  readonly offsets: Int32Array;
  private readonly lengths: Int32Array;

  constructor(commands: Iterable<TimedCommand>) {
    const all = [...commands];
    this.times = Float64Array.from(all, ({ tMs }) => tMs);
    this.lengths = Int32Array.from(all, ({ bytes }) => bytes.length);
    let end = 0;
    this.offsets = this.lengths.map((length) => {
      const start = end;
      end += Math.ceil(length / 8) * 8;
      return start;
    });
    this.message = new Message(new ArrayBuffer(end));
    for (const [index, { bytes }] of all.entries()) this.message.bytes.set(bytes, this.offsets[index]);
  }

  *[Symbol.iterator](): Generator<TimedCommand> {
    const { buffer } = this.message.bytes;
    for (const [index, offset] of this.offsets.entries()) {
      yield { tMs: this.times[index], bytes: new Uint8Array(buffer, offset, this.lengths[index]) };
    }
  }
}

/** Applies commands and passes each record to `take`; returns the reducers that hold the state. */
export async function applyAll(
  commands: Iterable<TimedCommand>,
  take: (sequence: number, command: TimedCommand, reducers: Reducers) => Promise<void> | undefined,
): Promise<Reducers> {
  const reducers = new Reducers();
  let sequence = 0;
  for (const command of commands) {
    sequence += 1;
    reducers.reduce(command.tMs, command.bytes);
    await take(sequence, command, reducers);
  }
  return reducers;
}

/** Writes the journal of the commands into an environment's folder; returns its number of records. */
export async function writeJournal(folder: string, commands: Iterable<TimedCommand>): Promise<number> {
  const nothing = (): void => {};
  const fail = (error: Error): void => {
    throw error;
  };
  const listener = { onDurable: nothing, onUnavailable: nothing, onAvailable: nothing, onFatal: fail };
  const journal = new Journal(new LmdbStore(folder), listener);
  let count = 0;
  await applyAll(commands, (sequence, { tMs, bytes }, { out }) => {
    journal.append(sequence, tMs, bytes, out.bytes, out.length);
    count = sequence;
    return sequence % 5_000 === 0 ? journal.drained() : undefined;
  });
  await journal.close(60_000);
  return count;
}
