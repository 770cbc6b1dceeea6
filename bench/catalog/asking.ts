// Who asks in the catalog's bench: a process with a small heap and one thread, since collecting the garbage of a large one
// takes the processors that the exchange answers on. It times answers, and JSON.stringify of the same page as the yardstick.
// Started by bench/catalog.ts, a question at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { BusyClock } from '../lib/busy.ts';
import { answerQuestions } from '../lib/talk.ts';
import { timesOf } from '../lib/timed.ts';
import { Asker } from './asker.ts';

/** Before each question (ms): time for the house to trade. */
const PAUSE_MS = 4;

/** What the process is asked to do. */
export type AskingQuestion =
  | { readonly kind: 'open'; readonly url: string; readonly pid: number }
  /** Each path in turn, so many times in all, and `/ok` behind each. Answered by Asked. */
  | { readonly kind: 'ask'; readonly paths: readonly string[]; readonly count: number }
  /** Reads a page and writes it as JSON so often. Answered by the times (ms). */
  | { readonly kind: 'stringify'; readonly path: string; readonly count: number }
  /** Answered by the exchange's latest sequence. */
  | { readonly kind: 'sequence' };

/** Times (ms) of answers, of `/ok` behind each, and of the exchange's processor for both. */
export interface Asked {
  readonly ours: readonly number[];
  readonly ok: readonly number[];
  readonly busy: readonly number[];
}

interface Opened {
  readonly url: string;
  readonly asker: Asker;
  readonly clock: BusyClock;
}

async function ask({ asker, clock }: Opened, paths: readonly string[], count: number): Promise<Asked> {
  const [ours, ok, busy] = [[] as number[], [] as number[], [] as number[]];
  for (let at = 0; at < count; at += 1) {
    await sleep(PAUSE_MS);
    const busyBeforeMs = clock.now();
    ours.push(await asker.time(paths[at % paths.length]));
    ok.push(await asker.time('/ok'));
    busy.push(clock.now() - busyBeforeMs);
  }
  return { ours, ok, busy };
}

async function stringify(url: string, path: string, count: number): Promise<readonly number[]> {
  const page: unknown = await (await fetch(url + path)).json();
  return timesOf(count, () => JSON.stringify(page));
}

let opened: Opened | undefined;
process.once('disconnect', () => process.exit(0));

answerQuestions(async (asked) => {
  const question = asked as AskingQuestion; // only catalog.ts asks
  if (question.kind === 'open') {
    const { url, pid } = question;
    opened = { url, asker: new Asker(url), clock: new BusyClock(pid) };
    return undefined;
  }
  if (opened === undefined) throw new Error('nothing is open yet');
  if (question.kind === 'ask') return ask(opened, question.paths, question.count);
  if (question.kind === 'stringify') return stringify(opened.url, question.path, question.count);
  await opened.asker.time('/ok');
  return Number(opened.asker.header('x-sequence'));
});
