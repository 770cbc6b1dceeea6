// The bare yardstick of the streams bench: uWebSockets.js alone, publishing the same frames as the exchange, a batch each turn
// of the loop, to every socket. Started by streams.ts.
import { answerQuestions } from '../lib/talk.ts';
import { BARE_TOPIC, bareApp, listen, readFrames, wireBytes } from './bareSockets.ts';
import { costNow, type Published, type ServerQuestion, sharedMs } from './question.ts';

const app = bareApp();
let frames: readonly Buffer[] = [];
let next = 0;
process.once('disconnect', () => process.exit(0));

function start(file: string): Promise<number> {
  frames = readFrames(file);
  return listen(app);
}

async function publish(rounds: number, batch: number): Promise<Published> {
  const publishedMs: number[] = [];
  const frameBytes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < batch; at += 1) {
      const frame = frames[next % frames.length];
      next += 1;
      publishedMs.push(sharedMs());
      frameBytes.push(wireBytes(frame.length));
      app.publish(BARE_TOPIC, frame, false, false);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { frameBytes, publishedMs };
}

answerQuestions(async (asked) => {
  const question = asked as ServerQuestion; // only streams.ts asks
  if (question.kind === 'start') return start(question.framesFile);
  if (question.kind === 'prepare') return undefined;
  return question.kind === 'publish' ? publish(question.rounds, question.batch) : costNow();
});
