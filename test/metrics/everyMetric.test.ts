// One scrape of a server with a known past: it has exactly the metrics listed here, and each shows the figure that its name
// promises. metrics.test.ts shows how they change.
import { expect, test, vi } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { throttleRows } from '../../server/config/throttleTable.ts';
import { alice, bob, call, market, openTradingWorldOn, post, server } from '../http/tradingWorld.ts';
import { TestSocket } from '../streams/socket.ts';
import { PATIENCE } from '../support/patience.ts';
import { tempDir } from '../support/tempDir.ts';
import { type Family, readExposition } from './exposition.ts';

const SNAPSHOT_EVERY = 1_000;
const FAILED_WRITES = 3;
const WAITING_SIGNATURES = 4;

async function scrape(): Promise<ReadonlyMap<string, Family>> {
  return readExposition(await (await fetch(`${server.url}/metrics`)).text());
}

/** The values of a family's series by their labels' values; of a histogram the counts. */
function valuesOf({ name, type, samples }: Family): Readonly<Record<string, number>> {
  const shown = type === 'histogram' ? samples.filter((sample) => sample.name === `${name}_count`) : samples;
  return Object.fromEntries(shown.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((total, value) => total + value, 0);

/** Makes a server with a past: a snapshot, three orders, a refused one, a trade, a cancel, a throttled request, an open socket. */
async function makePast(): Promise<void> {
  const rates = { ...throttleRows, 'GET /book': [{ requestsMax: 1, windowMs: 3_600_000 }] };
  const streams = { ...streamSettings, answerMsMin: 60_000, answerMsMax: 60_000 }; // a slow machine holds nobody
  const config = { dataDir: tempDir(), snapshotEvery: SNAPSHOT_EVERY, isThrottled: true, rates, streams };
  await openTradingWorldOn(undefined, config);
  const tick = encodeCommand({ type: 'Tick' });
  await Promise.all(Array.from({ length: SNAPSHOT_EVERY }, () => server.exchange.submit(tick)));
  const first = (await post(alice, market, { pips: 4_000, shares: 20 })).json.orderID;
  await post(alice, market, { pips: 3_000, shares: 20 });
  await post(bob, market, { pips: 6_000, shares: 8, token: 1 });
  await post(bob, market, { pips: 4_005, shares: 8 });
  await call(alice, 'DELETE', '/order', { orderID: first });
  for (let count = 0; count < 2; count += 1) await fetch(`${server.url}/book?token_id=${market.tokens[0]}`);
  await vi.waitUntil(async () => sum(valuesOf((await scrape()).get('outcry_snapshots_total')!)) > 0, PATIENCE);
}

test('a scrape has exactly the known metrics, and each shows what happened', async () => {
  await makePast();
  const socket = await TestSocket.open(server.url, '/ws/market');
  const { exchange, services } = server;
  const { recoverers, views } = services;
  exchange.journalFigures.failedWrites += FAILED_WRITES;
  recoverers.addedCount += WAITING_SIGNATURES;
  const families = await scrape();
  recoverers.addedCount -= WAITING_SIGNATURES;
  const records = exchange.durableSequence;
  const flushes = exchange.journalFigures.flushSeconds.counts.reduce((total, count) => total + count);
  const some = expect.toSatisfy((value: number) => value > 0);
  const upTo = (max: number) => expect.toSatisfy((value: number) => value >= 0 && value <= max);
  const totals: Readonly<Record<string, unknown>> = {
    build_info: 1,
    exchange_available: 1,
    exchange_mode: 1,
    commands_total: records,
    rejections_total: 1,
    orders_canceled_total: 1,
    trades_total: 1,
    traded_collateral_total: 4.8,
    signatures_checked_total: 4,
    signatures_waiting: WAITING_SIGNATURES,
    live_orders: 1,
    markets: 1,
    accounts: views.accounts.accountCount,
    durable_sequence: records,
    durable_timestamp_seconds: exchange.durableTMs / 1_000,
    journal_flush_duration_seconds: flushes,
    journal_batch_records: flushes,
    journal_written_bytes_total: exchange.journalFigures.writtenBytes,
    journal_failed_writes_total: FAILED_WRITES,
    journal_pending_bytes: 0,
    journal_file_bytes: some,
    history_lag_records: upTo(records),
    history_available: 1,
    snapshot_sequence: expect.toSatisfy((value: number) => value >= SNAPSHOT_EVERY && value <= records),
    snapshots_total: 1,
    stream_sockets: 1,
    stream_sockets_held: 0,
    stream_sockets_opened_total: 1,
    stream_sockets_refused_total: 0,
    stream_holds_total: 0,
    stream_slow_closed_total: 0,
    stream_frames_total: 0,
    http_requests_total: some,
    http_request_duration_seconds: some,
    http_requests_in_progress: 1,
    http_throttled_requests_total: 1,
    http_throttle_clients: 3,
    process_start_time_seconds: upTo(Date.now() / 1_000),
    process_cpu_seconds_total: some,
    process_resident_memory_bytes: some,
    heap_bytes: some,
    external_memory_bytes: some,
    ...(process.platform === 'linux' && { process_open_fds: some }),
    event_loop_delay_seconds: some,
    event_loop_active_seconds_total: some,
    gc_duration_seconds: some,
  };
  const shown = Array.from(families.values(), (family) => [family.name.replace(/^outcry_/, ''), sum(valuesOf(family))]);
  expect(Object.fromEntries(shown)).toEqual(totals);
  const labelled = (name: string) => valuesOf(families.get(`outcry_${name}`)!);
  expect(labelled('snapshots_total')).toEqual({ made: 1, failed: 0 });
  expect(labelled('stream_sockets')).toEqual({ market: 1, user: 0, undecided: 0 });
  expect(labelled('exchange_mode')).toMatchObject({ normal: 1, disabled: 0 });
  await socket.close();
  await server.close();
});
