// The questions to the loader's process (loader.ts), and the class that asks them. Used by both ends, so that they cannot
// disagree about the shape of a question or an answer.
import { join } from 'node:path';
import { type Child, startChild } from '../lib/talk.ts';
import type { LoadResult } from './connections.ts';

/** A run over some of the signed requests; an answer is good when its status is 200 and its body contains `mark`. */
interface Run {
  readonly port: number;
  readonly connections: number;
  readonly mark: string;
  readonly from: number;
  readonly to: number;
}

export type LoaderQuestion =
  /** Makes wallets and their API keys; answered with the number of markets that orders go to. */
  | { readonly kind: 'register'; readonly port: number; readonly wallets: number }
  /** Signs this many orders, which replace those signed before. */
  | { readonly kind: 'sign'; readonly orders: number }
  | ({ readonly kind: 'closed' } & Run)
  | ({ readonly kind: 'open'; readonly perSecond: number } & Run);

export type LoaderAnswer = { readonly count: number } | { readonly load: LoadResult };

/** The question as it arrived. */
export function parseLoaderQuestion(question: unknown): LoaderQuestion {
  return question as LoaderQuestion; // only the functions of this file send any
}

export class Loader {
  private readonly child: Child = startChild(join(import.meta.dirname, './loader.ts'));

  get pid(): number | undefined {
    return this.child.pid;
  }

  async count(question: Extract<LoaderQuestion, { kind: 'register' | 'sign' }>): Promise<number> {
    const answer = await this.ask(question);
    if (!('count' in answer)) throw new Error(`The loader answered no count to ${question.kind}.`);
    return answer.count;
  }

  async load(question: Extract<LoaderQuestion, { kind: 'closed' | 'open' }>): Promise<LoadResult> {
    const answer = await this.ask(question);
    if (!('load' in answer)) throw new Error(`The loader answered no load to ${question.kind}.`);
    return answer.load;
  }

  end(): void {
    this.child.end();
  }

  private async ask(question: LoaderQuestion): Promise<LoaderAnswer> {
    return (await this.child.ask(question)) as LoaderAnswer; // loader.ts answers nothing else
  }
}
