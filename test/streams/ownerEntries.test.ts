// What an owner's stream says of orders whose state or wallet goes on changing: each message shows its own moment, a record has
// one update of an order, and a wallet's next owner gets nothing of the former one's. The clock moves only when a test says so.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, encodeCommand, MarketField } from '../../engine/index.ts';
import { digest } from '../support/commandParts.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { authOf, foundingCommands, keyIdOf, ownerOf } from './workload.ts';

const MARKETS = 2;
/** The market whose takers are delayed by a second. */
const DELAYED = 1;
let nowMs = Date.now();
let server: TestServer;
let orderCount = 0;

const submit = (command: Command) => server.exchange.submit(encodeCommand(command));

beforeAll(async () => {
  server = await startTestServer({ clock: { now: () => nowMs } });
  for (const command of foundingCommands(MARKETS)) await server.exchange.submit(command);
  const terms = { ...PLAIN_TERMS, delaySeconds: 1 };
  await submit({ type: 'UpdateMarket', marketIndex: DELAYED, mask: MarketField.DELAY, ...terms });
});
afterAll(() => server.close());

const buyerOf = (trader: number) => ({ owner: ownerOf(trader), keyId: keyIdOf(trader) });

/** A BUY at one half: those of the two tokens match. */
function buyOf(trader: number, marketIndex: number, outcome: number, lots: number) {
  orderCount += 1;
  const order = { orderId: orderIdOf(orderCount), marketIndex, outcome, pips: 5_000, lots, timestampMs: nowMs };
  return buyCommand(buyerOf(trader), order);
}

async function listen(trader: number, more: object = {}): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ type: 'user', auth: authOf(server.services.secret, trader), heartbeat: true, ...more });
  await socket.until(({ reader }) => reader.sequences.size > 0);
  return socket;
}

/** The steps of an order: type, status, shares matched, and how many trades they list. */
const stepsOf = (socket: TestSocket, id: string) =>
  socket
    .events('order')
    .filter((event) => event.id === id)
    .map(({ type, status, size_matched: matched, associate_trades: trades }) => {
      return `${type} ${status} ${matched} ${trades.length}`;
    });

const ended = (socket: TestSocket): boolean => socket.events('order').at(-1)?.type === 'CANCELLATION';

test('an owner who resumes gets each message of an order as it was, although the order has gone on', async () => {
  const live = await listen(0);
  const [[stream_id, sequence]] = live.reader.sequences;
  const [filled, order] = [buyOf(0, 0, 0, 400), buyOf(0, 0, 0, 1_000)];
  for (const each of [filled, order]) await submit(each);
  for (const lots of [100, 300, 300, 200]) await submit(buyOf(1, 0, 1, lots));
  await submit({ type: 'CancelOrders', ...buyerOf(0), items: [order.orderId] });
  await live.until(ended);
  const again = await listen(0, { resume: { stream_id, sequence } });
  await again.until(ended);
  const before = ['PLACEMENT LIVE 0 0', 'UPDATE LIVE 1 1', 'UPDATE MATCHED 4 2'];
  const steps = ['PLACEMENT LIVE 0 0', 'UPDATE LIVE 3 1', 'UPDATE LIVE 5 2', 'CANCELLATION CANCELED 5 2'];
  for (const socket of [live, again]) {
    expect([stepsOf(socket, filled.orderId), stepsOf(socket, order.orderId)]).toEqual([before, steps]);
    expect(socket.reader.faults).toEqual([]);
    await socket.close();
  }
});

test('two fills of an order in one record are one update, with both trades', async () => {
  const socket = await listen(0);
  const order = buyOf(0, DELAYED, 0, 1_000);
  await submit(order);
  for (const [taker, lots] of [300, 200].entries()) await submit(buyOf(1 + taker, DELAYED, 1, lots));
  // Both takers are due when the next command comes, whose record releases them.
  nowMs += 1_000;
  await submit({ type: 'CancelOrders', ...buyerOf(0), items: [order.orderId] });
  await socket.until(ended);
  expect(stepsOf(socket, order.orderId)).toEqual([
    'PLACEMENT LIVE 0 0',
    'UPDATE LIVE 5 2',
    'CANCELLATION CANCELED 5 2',
  ]);
  expect(socket.reader.faults).toEqual([]);
  await socket.close();
});

test('after a wallet has moved to another owner, its orders are reported to that owner alone', async () => {
  const [former, next] = [await listen(3), await listen(4)];
  const wallet = digest('a wallet that moves', 20);
  const placeFor = async (trader: number): Promise<string> => {
    const order = { ...buyOf(trader, 0, 0, 500), maker: wallet };
    await submit(order);
    return order.orderId;
  };
  const [{ owner }, { owner: nextOwner }] = [buyerOf(3), buyerOf(4)];
  await submit({ type: 'Deposit', wallet, owner, amountMicro: 1_000_000_000, isFaucet: 0 });
  const before = await placeFor(3);
  await submit({ type: 'BindWallet', owner: nextOwner, wallet, signatureType: 2 });
  const after = await placeFor(4);
  await submit({ type: 'CancelOrders', ...buyerOf(4), items: [after] });
  for (const socket of [former, next]) await socket.until(ended);
  // The move itself cancels what the former owner had there.
  const canceled = ['PLACEMENT LIVE 0 0', 'CANCELLATION CANCELED 0 0'];
  for (const [socket, id] of [[former, before] as const, [next, after] as const]) {
    expect(stepsOf(socket, id)).toEqual(canceled);
    expect(socket.events('order')).toHaveLength(2);
  }
  for (const socket of [former, next]) {
    expect(socket.reader.faults).toEqual([]);
    await socket.close();
  }
});
