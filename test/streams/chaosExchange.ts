// The exchange of the chaos test as a process of its own, so that it can be killed: a whole server on a data directory,
// which drives seeded commands through its own engine when told to. Started by chaos.test.ts with its folder and seed; in a
// folder without a journal it creates the markets and owners first.
import { resolveConfig } from '../../server/config/config.ts';
import { startServer } from '../../server/start.ts';
import { foundingCommands, StreamWorkload } from './workload.ts';

/** The test's requests, and the replies. */
export type ChaosRequest = { readonly run: number } | { readonly report: true };
export type ChaosReply =
  | { readonly port: number }
  | { readonly done: number }
  | { readonly sequence: number; readonly trades: readonly number[] };

const [dataDir, markets, seed] = process.argv.slice(2);
const IN_FLIGHT = 32;

const base = resolveConfig('development', { port: '0', house: false, logLevel: 'silent', dataDir }, {}, dataDir);
const server = await startServer({
  // So short that many a stall makes a client late; its streams are then held and paid later.
  config: { ...base, streams: { ...base.streams, heartbeatMs: 2_000, answerMsMax: 100 } },
  env: { OUTCRY_SECRET: process.env.OUTCRY_SECRET },
  onFatal: (error) => {
    throw error;
  },
  hasFirstStart: false,
});
const { exchange, views } = server.services;
if (exchange.isFresh) await Promise.all(foundingCommands(Number(markets)).map((command) => exchange.submit(command)));
const workload = new StreamWorkload(Number(seed), Number(markets));

const reply = (message: ChaosReply): void => {
  process.send?.(message);
};

async function run(count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await exchange.submit(workload.next(Date.now()));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  reply({ done: count });
}

process.on('message', (request: ChaosRequest) => {
  if ('run' in request) void run(request.run);
  else {
    const trades = views.markets.list().map(({ tradeCount }) => tradeCount);
    reply({ sequence: exchange.durableSequence, trades });
  }
});
process.on('disconnect', () => process.exit(0));
reply({ port: server.port });
