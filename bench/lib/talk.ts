// Questions to a child process of the bench and its answers, over Node's IPC channel: one question at a time, answered with
// a value or an error's text. Used by main processes (ask) and by the children (answerQuestions).
import { type ChildProcess, fork } from 'node:child_process';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';

/** A child process of the bench: ask it, then end it. */
export interface Child {
  /** The process id; undefined when the process could not be started. */
  readonly pid: number | undefined;
  ask(question: unknown): Promise<unknown>;
  end(): void;
}

type Answer = { readonly value: unknown } | { readonly error: string };

/** Starts a TypeScript file of the bench as a child, as npm scripts start theirs (with more flags). It inherits our output. */
export function startChild(file: string, execArgv: readonly string[] = []): Child {
  const child: ChildProcess = fork(file, [], {
    execPath: process.execPath,
    execArgv: [...nodeOptions, ...execArgv],
    serialization: 'advanced',
  });
  return {
    pid: child.pid,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const onExit = (code: number | null): void => reject(new Error(`${file} ended with status ${code}.`));
        child.once('exit', onExit);
        // Only answerQuestions of this file writes to the channel, so the message is an Answer.
        child.once('message', (message) => {
          child.off('exit', onExit);
          const answer = message as Answer;
          if ('error' in answer) reject(new Error(`${file}: ${answer.error}`));
          else resolve(answer.value);
        });
        child.send(question as object);
      }),
    end: () => child.kill(),
  };
}

/** In a child: answers each question with the function's result. */
export function answerQuestions(answer: (question: unknown) => Promise<unknown>): void {
  process.on('message', (question) => {
    answer(question).then(
      (value) => process.send?.({ value } satisfies Answer),
      (error: unknown) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.send?.({ error: text } satisfies Answer);
      },
    );
  });
}
