// The replies that clients got, compared with a journal: which acknowledged operations are missing, which happened twice,
// and which exist although nobody sent them or they were refused. Used by the crash run and by the tests of failing disks.
import { JournalReader, type JournalRecord } from '../../engine/index.ts';
import { replayRecords } from '../../engine/pipeline/recovery.ts';
import { Reducers } from '../../engine/pipeline/reducers.ts';
import { decodeCommand, decodeEvents } from '../../engine/protocol/index.ts';
import { tradeId } from '../../server/wire/ids.ts';

/** What a client knows of an operation: done, killed (a FOK or FAK order that found nothing), refused, or nothing at all. */
export type Outcome = 'accepted' | 'killed' | 'refused' | 'unknown';

/** An order of which a client has sent at least one copy. */
export interface SentOrder {
  readonly id: string;
  outcome: Outcome;
  /** Trades that its reply named. */
  tradeIds: readonly string[];
}

/** An order as recorded in the journal. */
interface JournalOrder {
  readonly id: string;
  readonly sequence: number;
  /** How many records accepted or killed it: more than one is a defect. */
  count: number;
  isKilled: boolean;
  isCanceled: boolean;
  filledLots: number;
  /** Trades of its own record. */
  readonly tradeIds: string[];
}

/** Everything that several clients have sent and received. Splits are told apart by their amounts, each of which is used once. */
export class ClientLedger {
  readonly orders = new Map<string, SentOrder>();
  readonly splits = new Map<number, Outcome>();
  /** Ids that a reply reported as cancelled. */
  readonly canceled = new Set<string>();
  /** The highest X-Sequence of any reply. */
  sequence = 0;

  /** The number of acknowledged operations. */
  get acknowledgedCount(): number {
    const outcomes = [...[...this.orders.values()].map(({ outcome }) => outcome), ...this.splits.values()];
    return outcomes.filter((outcome) => outcome === 'accepted' || outcome === 'killed').length + this.canceled.size;
  }
}

/** The journal of a folder, read as it grows, and replayed without interruption into reducers of its own. */
export class JournalLedger {
  readonly orders = new Map<string, JournalOrder>();
  readonly splits = new Map<number, number>();
  sequence = 0;
  private readonly byNumber = new Map<number, JournalOrder>();
  private readonly reducers = new Reducers();
  private readonly dataDir: string;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  /** Reads on up to a sequence, or to the end. Throws what the journal or the replay reports. */
  async readTo(last = Number.POSITIVE_INFINITY): Promise<void> {
    const reader = new JournalReader(this.dataDir);
    try {
      for (const records of reader.read(this.sequence + 1)) {
        const wanted = records.filter(({ sequence }) => sequence <= last);
        replayRecords(wanted, this.reducers, (record) => this.take(record));
      }
    } finally {
      await reader.close();
    }
  }

  hashes() {
    return this.reducers.stateHash();
  }

  checkInvariants(): void {
    this.reducers.checkInvariants();
  }

  private take(record: JournalRecord): void {
    this.sequence = record.sequence;
    const command = decodeCommand(record.command);
    const own = command.type === 'PlaceOrder' ? command.orderId : undefined;
    for (const event of decodeEvents(record.events)) {
      if ((event.type === 'OrderAccepted' || event.type === 'OrderKilled') && own !== undefined) {
        this.placed(own, event.orderNumber, event.type === 'OrderKilled');
      } else if (event.type === 'OrderCanceled') {
        const order = this.byNumber.get(event.orderNumber);
        if (order !== undefined) order.isCanceled = true;
      } else if (event.type === 'Fill') {
        const maker = this.byNumber.get(event.makerOrderNumber);
        if (maker !== undefined) maker.filledLots += event.lots;
      } else if (event.type === 'Trade') {
        const taker = this.byNumber.get(event.takerOrderNumber);
        if (taker === undefined) continue;
        taker.filledLots += event.lots;
        if (taker.sequence === record.sequence) taker.tradeIds.push(tradeId(event.marketIndex, event.tradeNumber));
      } else if (event.type === 'PositionSplit') {
        this.splits.set(event.amountMicro, (this.splits.get(event.amountMicro) ?? 0) + 1);
      }
    }
  }

  private placed(id: string, orderNumber: number, isKilled: boolean): void {
    const before = this.orders.get(id);
    if (before !== undefined) {
      before.count += 1;
      return;
    }
    const fresh = { id, sequence: this.sequence, count: 1, isKilled, isCanceled: false, filledLots: 0, tradeIds: [] };
    this.orders.set(id, fresh);
    this.byNumber.set(orderNumber, fresh);
  }
}

/** The differences found, each as a sentence. */
interface Differences {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly ghosts: readonly string[];
}

/** Compares the journal's content with the replies that clients got. */
export function differencesOf(clients: ClientLedger, journal: JournalLedger): Differences {
  const lost: string[] = [];
  const doubled: string[] = [];
  const ghosts: string[] = [];
  for (const { id, outcome, tradeIds } of clients.orders.values()) {
    const order = journal.orders.get(id);
    if (outcome === 'refused' && order !== undefined) ghosts.push(`the order ${id} was refused and is there`);
    if (outcome !== 'accepted' && outcome !== 'killed') continue;
    if (order === undefined) lost.push(`the order ${id} was answered ${outcome} and is not there`);
    else if (order.isKilled !== (outcome === 'killed'))
      lost.push(`the order ${id} was answered ${outcome} and is not that`);
    else if (order.tradeIds.join() !== tradeIds.join()) lost.push(`the trades of order ${id} are other ones`);
  }
  for (const id of clients.canceled) {
    if (journal.orders.get(id)?.isCanceled !== true) lost.push(`the cancel of ${id} was answered and is not there`);
  }
  for (const [amountMicro, outcome] of clients.splits) {
    const count = journal.splits.get(amountMicro) ?? 0;
    if (outcome === 'accepted' && count === 0) lost.push(`the split of ${amountMicro} was answered and is not there`);
    if (outcome === 'refused' && count > 0) ghosts.push(`the split of ${amountMicro} was refused and is there`);
  }
  for (const { id, count } of journal.orders.values()) {
    if (count > 1) doubled.push(`the order ${id} is there ${count} times`);
    if (!clients.orders.has(id)) ghosts.push(`the order ${id} is there and nobody sent it`);
  }
  for (const [amountMicro, count] of journal.splits) {
    if (count > 1) doubled.push(`the split of ${amountMicro} is there ${count} times`);
    if (!clients.splits.has(amountMicro)) ghosts.push(`the split of ${amountMicro} is there and nobody asked for it`);
  }
  if (clients.sequence > journal.sequence) {
    lost.push(`a reply named sequence ${clients.sequence} and the journal ends at ${journal.sequence}`);
  }
  return { lost, doubled, ghosts };
}
