// Known faults that a simulation must find. Each changes one place of the engine's or the server's source while the module
// is loaded, and names the number of commands within which it must show, and how. Used by main.ts, player.ts and
// simulation.test.ts. Nothing on disk is changed.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Canary {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
  /** The fault must be found within this many commands. */
  readonly commandsMax: number;
  /** The first failure from seed 1 on: a fault found for another reason, such as a crash, would prove nothing about its check. */
  readonly failure: RegExp;
}

export const canaries = {
  /** Orders outlive the money that was to cover them. */
  coverage: {
    file: 'engine/core/exchange.ts',
    from: /if \(state\.suspectCount > 0\) coverAccounts\(state\);/,
    to: 'state.suspectCount = 0;',
    commandsMax: 20_000,
    failure: /^error: .*\(core invariant 4: position \d+ of account \d+ reserves \d+ micro, too much\)/,
  },
  /** The fee account receives more than the taker pays. */
  fee: {
    file: 'engine/core/matching.ts',
    from: /FEES_ACCOUNT\] \+= fee;/,
    to: 'FEES_ACCOUNT] += fee + (fee > 0 ? 10 : 0);',
    commandsMax: 5_000,
    failure: /^audit: collateral moves as stated /,
  },
  /** Answers are given before the records are on disk. */
  durability: {
    file: 'engine/journal/journal.ts',
    from: /if \(!\(await this\.writeUntilDurable\(batch\)\)\) break;[^}]*onDurable\(batch\.bytes, batch\.recordCount\);/,
    to: `this.waitingBytes -= batch.bytes.length;
        this.durableSequence = batch.firstSequence + batch.recordCount - 1;
        this.durableTMs = batch.lastTMs;
        this.listener.onDurable(batch.bytes, batch.recordCount);
        if (!(await this.writeUntilDurable(batch))) break;
        this.lastBatchSequence = batch.firstSequence;`,
    commandsMax: 5_000,
    failure: /^audit: what was acknowledged is on the disk /,
  },
  /** Records on disk are trusted without their checksum. */
  checksum: {
    file: 'engine/journal/recordCursor.ts',
    from: /return crc32c\(batch, start \+ CRC_START, end\) === view\.getUint32\(start \+ RECORD_AT\.crc, true\);/,
    to: 'return end > start;',
    commandsMax: 50_000,
    failure: /^error: RecoveryDiffers: .*\(Replaying the journal gave a different result at sequence \d+/,
  },
  /** The displayed book ignores fills that leave a remainder of the maker. */
  view: {
    file: 'server/views/index.ts',
    from: /this\.bookChanged\(order, -event\.lots, tMs\);/,
    to: 'if (event.remainingLots === 0) this.bookChanged(order, -event.lots, tMs);',
    commandsMax: 5_000,
    failure: /^audit: the book shows its bids /,
  },
  /** A deleted key goes on working. */
  key: {
    file: 'engine/registry/apiKeys.ts',
    from: /this\.isTrading\[index\] = 0;/,
    to: '',
    commandsMax: 50_000,
    failure: /^audit: the registry refuses what it must /,
  },
  /** A clock that jumps far ahead is believed, so that whatever is to fall due later falls due at once. */
  clock: {
    file: 'engine/pipeline/sequencer.ts',
    from: /if \(isJump && expectedMs >= this\.acceptedTMs\) \{/,
    to: 'if (isJump && expectedMs < 0) {',
    commandsMax: 100_000,
    failure: /^audit: a command gets the time of the clock /,
  },
  /** Keys lose their orders because the machine slept, and heard no heartbeats. */
  pause: {
    file: 'engine/pipeline/pauses.ts',
    from: /return unheardMs > UNHEARD_MS_MAX \? unheardMs : 0;/,
    to: 'return 0;',
    commandsMax: 100_000,
    failure: /^audit: no heartbeat lapses for want of an exchange /,
  },
  /** A snapshot omits the upper bound of accounts' reservations, so that orders outlive their money after a start from it. */
  snapshot: {
    file: 'engine/core/ledger.ts',
    from: /this\.bound = sections\.float64\('bound', this\.bound\);/,
    to: `this.bound = sections.float64('bound', this.bound);
        if (sections.isLoading) this.bound.fill(0);`,
    commandsMax: 100_000,
    failure: /^error: .*\(core invariant 5: /,
  },
  /** A refusal for want of funds names the wrong figures: only the reference knows better, from seed 19 on. */
  reference: {
    file: 'engine/core/entry.ts',
    from: /out\.rejected\('FUNDS', order\.balanceMicro, order\.reservedMicro/,
    to: "out.rejected('FUNDS', order.reservedMicro, order.balanceMicro",
    commandsMax: 80_000,
    failure: /^audit: core and reference differ at PlaceOrder /,
  },
  /** The newest trades of everybody are those of takers, whatever was asked; seed 24 is the first whose history is queried. */
  historian: {
    file: 'server/history/findRows.ts',
    from: /new AllTrades\(rows, takerOnly,/,
    to: 'new AllTrades(rows, true,',
    commandsMax: 100_000,
    failure: /^audit: the historian answers trades /,
  },
} as const satisfies Readonly<Record<string, Canary>>;
export type CanaryName = keyof typeof canaries;

const root = join(import.meta.dirname, '..', '..');

/** Puts the fault into every module that is loaded from now on. Throws when its place is not found exactly once. */
export function breakBuild({ file, from, to }: Canary): void {
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  const places = source.split(from).length - 1;
  if (places !== 1) throw new Error(`canary: ${String(from)} is in ${file} ${places} times: name its one line.`);
  const broken = source.replace(from, to);
  const url = pathToFileURL(path).href;
  registerHooks({
    load: (target, context, next) =>
      target === url ? { format: 'module-typescript', source: broken, shortCircuit: true } : next(target, context),
  });
}
