// The client process of the catalog bench: one thread and a small heap, since collecting the garbage of a large heap takes
// the processors on which the exchange answers. It times responses and, as the yardstick, JSON.stringify of the same page.
// Started by bench/catalog.ts, which sends it one question at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { BusyClock } from '../lib/busy.ts';
import { answerQuestions } from '../lib/talk.ts';
import { timesOf } from '../lib/timed.ts';
import { Asker } from './asker.ts';

/** Pause before each request (ms), in which the house trades. */
const PAUSE_MS = 4;

/** What the parent asks this process to do. */
export type ClientQuestion =
  | { readonly kind: 'open'; readonly url: string; readonly pid: number }
  /** Requests each path in turn, `count` requests in total, each followed by one for `/ok`. Answered with RequestTimes. */
  | { readonly kind: 'ask'; readonly paths: readonly string[]; readonly count: number }
  /** Fetches a page and stringifies it `count` times. Answered with the times (ms). */
  | { readonly kind: 'stringify'; readonly path: string; readonly count: number }
  /** Answered with the exchange's latest sequence. */
  | { readonly kind: 'sequence' };

/** Times (ms) of the responses, of the `/ok` that followed each, and of the exchange's processor for both. */
export interface RequestTimes {
  readonly ours: readonly number[];
  readonly ok: readonly number[];
  readonly busy: readonly number[];
}

interface Opened {
  readonly url: string;
  readonly asker: Asker;
  readonly clock: BusyClock;
}

async function ask({ asker, clock }: Opened, paths: readonly string[], count: number): Promise<RequestTimes> {
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
  const question = asked as ClientQuestion; // only catalog.ts asks
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
