// Many long answers requested at once: they are made a few at a time, so that those at work take little memory and the
// first need not wait for the last. Those that would wait too long are refused; a short one does not wait for them.
import { afterEach, expect, test } from 'vitest';
import { type Command, encodeCommand, openExchange, type RunningExchange } from '../../engine/index.ts';
import { type OpenedHistorian, openHistorian } from '../../server/history/historian.ts';
import { HistorianUnavailable } from '../../server/wire/historyQueries.ts';
import { foundingCommands, keyIdOf, ownerOf } from '../streams/workload.ts';
import { digest } from '../support/commandParts.ts';
import { askText } from './harness.ts';
import { newestTrades } from './questions.ts';
import { newClock, settings } from './world.ts';

const TRADES = 1_000;
const LOTS = 100;
const PIPS = 5_000;
const ASKED = 24;
/** So short that an answer without room at once is refused. */
const WAIT_MS_MAX = 1;

const LONG = newestTrades(10_000, true);
const SHORT = newestTrades(1, true);

/** A buy of one of the two tokens, each by its own owner; two of them make a trade. */
function order(number: number, timestampMs: number): Uint8Array {
  const outcome = number % 2;
  const owner = ownerOf(outcome);
  const command: Command = {
    ...{ type: 'PlaceOrder', orderId: digest(`order ${number}`, 32), keyId: keyIdOf(outcome) },
    ...{ maker: owner, owner, marketIndex: 0, outcome, side: 0, orderType: 0, flags: 0, timestampMs, expirationS: 0 },
    ...{ makerAmountMicro: LOTS * PIPS, takerAmountMicro: LOTS * 10_000 },
  };
  return encodeCommand(command);
}

let exchange: RunningExchange;
let historian: OpenedHistorian;

async function open(): Promise<void> {
  const clock = newClock();
  historian = openHistorian({ dataDir: undefined, waitMsMax: WAIT_MS_MAX });
  exchange = await openExchange({ dataDir: undefined, clock, settings, followers: [], onDurable: historian.durable });
  const orders = Array.from({ length: 2 * TRADES }, (_, number) => order(number, clock.now()));
  for (const command of [...foundingCommands(1), ...orders]) void exchange.submit(command);
  await exchange.submit(encodeCommand({ type: 'Tick' }));
  await historian.caughtUp();
  expect(JSON.parse((await askText(historian, LONG)) ?? '')).toHaveLength(TRADES);
}

afterEach(async () => {
  await exchange.close();
  await historian.close();
});

test('long answers without room are rejected after a while, and a short one is answered', async () => {
  await open();
  let answered = 0;
  const asked = Array.from({ length: ASKED }, () =>
    historian.ask(LONG).then(
      () => {
        answered += 1;
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(HistorianUnavailable);
        expect(String(error)).toContain('long answers');
      },
    ),
  );
  const short = askText(historian, SHORT);
  await Promise.all(asked);
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThan(ASKED);
  expect(await short).toMatch(/^\[\{/);
});
