// The figures that a server shows: their names, units and sources. Called once by start.ts when all parts exist. Markets,
// orders and trades are read from the views, never from the engine's memory; every count is a number that its part holds
// anyway. Nothing here runs before somebody requests the figures.
import { journalFileIn, MarketStatus, MICRO_PER_UNIT, RULES_VERSION } from '../engine/index.ts';
import type { OpenedHistorian } from './history/historian.ts';
import type { Throttle } from './http/throttle.ts';
import { fileBytes } from './metrics/disk.ts';
import type { Figures } from './metrics/figures.ts';
import { processFigures } from './metrics/process.ts';
import type { RequestFigures } from './metrics/requests.ts';
import type { Services } from './services.ts';
import type { SnapshotMaker } from './snapshots/snapshotMaker.ts';
import type { StreamHub } from './streams/hub.ts';
import type { NamedCount, Views } from './views/index.ts';
import { INTERFACE_VERSION } from './wire/interfaceVersion.ts';
import { exchangeModes, marketStatusText } from './wire/terms.ts';

/** The parts of a running server that figures are read from. */
interface WatchedServer extends Services {
  readonly historian: OpenedHistorian;
  readonly snapshots: SnapshotMaker;
  readonly hub: StreamHub;
  readonly door: { readonly visitCount: number; readonly throttle: Throttle | undefined };
}

/** Registers the figures of a server with its metrics. */
export function watchServer(server: WatchedServer): void {
  const { figures, requests } = server.metrics;
  processFigures(); // starts what is collected continuously
  watchExchange(figures, server);
  watchLog(figures, server);
  watchMarkets(figures, server.views);
  watchJournal(figures, server);
  watchFollowers(figures, server);
  watchStreams(figures, server.hub);
  watchRequests(figures, requests);
  watchDoor(figures, server);
}

function watchExchange(figures: Figures, { exchange, views }: WatchedServer): void {
  const about = { interface: INTERFACE_VERSION, rules: String(RULES_VERSION), node: process.version };
  figures.gauges(
    'build_info',
    'Versions of the interface, of the engine rules and of Node: always 1.',
    ['interface', 'rules', 'node'],
    (put) => put(about, 1),
  );
  figures.gauge(
    'exchange_available',
    '1 while commands are accepted; 0 while they get 503 because the journal cannot be written or is too far behind.',
    () => (exchange.unavailableReason === undefined ? 1 : 0),
  );
  figures.gauges('exchange_mode', "1 for the operator's current mode, 0 for the others.", ['mode'], (put) => {
    for (const [mode, value] of Object.entries(exchangeModes)) put({ mode }, views.accounts.mode === value ? 1 : 0);
  });
}

function watchLog(figures: Figures, { views, recoverers }: WatchedServer): void {
  const { counts } = views;
  figures.counters(
    'commands_total',
    'Commands that became durable, by kind and by whether the exchange accepted or refused them.',
    ['command', 'outcome'],
    (put) => {
      for (const { command, accepted, refused } of counts.commands) {
        put({ command, outcome: 'accepted' }, accepted);
        put({ command, outcome: 'refused' }, refused);
      }
    },
  );
  const reasons = (name: string, help: string, counts: () => Iterable<NamedCount>): void => {
    figures.counters(name, help, ['reason'], (put) => {
      for (const [reason, count] of counts()) put({ reason }, count);
    });
  };
  reasons('rejections_total', 'Commands that were refused, by the reason.', () => counts.rejections);
  reasons('orders_canceled_total', 'Orders that ended with something unfilled, by the reason.', () => counts.cancels);
  figures.counter('trades_total', "Trades: each a taker's fills at one price.", () => counts.tradeCount);
  figures.counter(
    'traded_collateral_total',
    "Collateral traded, in units of it, at the price of each trade's taker.",
    () => counts.tradedMicro / MICRO_PER_UNIT,
  );
  figures.counter(
    'signatures_checked_total',
    'Order signatures that were checked, valid or not.',
    () => recoverers.doneCount,
  );
  figures.gauge('signatures_waiting', 'Order signatures that wait to be checked.', () => {
    return recoverers.addedCount - recoverers.doneCount;
  });
}

function watchMarkets(figures: Figures, views: Views): void {
  figures.gauge(
    'live_orders',
    'Orders that rest in a book or wait for their delay to end.',
    () => views.orders.openCount,
  );
  figures.gauges('markets', 'Markets by status.', ['status'], (put) => {
    const counts = Object.values(MarketStatus).map(() => 0); // statuses are numbered from 0
    for (const { status } of views.markets.list()) counts[status] += 1;
    for (const [status, count] of counts.entries()) put({ status: marketStatusText(status) }, count);
  });
  figures.gauge('accounts', 'Wallets with an account, including two of the exchange itself.', () => {
    return views.accounts.accountCount;
  });
}

function watchJournal(figures: Figures, { exchange, config }: WatchedServer): void {
  const { journalFigures: journal } = exchange;
  const { dataDir } = config;
  figures.gauge('durable_sequence', 'The last record of the log that is durable.', () => exchange.durableSequence);
  figures.gauge(
    'durable_timestamp_seconds',
    'Time of the last record of the log that is durable, in unix seconds.',
    () => {
      return exchange.durableTMs / 1000;
    },
  );
  figures.histogram(
    'journal_flush_duration_seconds',
    'From handing a batch of records to the disk until it was durable, including retries.',
    journal.flushSeconds,
  );
  figures.histogram('journal_batch_records', 'Records that became durable by one flush.', journal.batchRecords);
  figures.counter('journal_written_bytes_total', 'Bytes of records that became durable.', () => journal.writtenBytes);
  figures.counter(
    'journal_failed_writes_total',
    'Flushes that failed; each was tried again, or ended the exchange.',
    () => journal.failedWrites,
  );
  figures.gauge('journal_pending_bytes', 'Bytes of records that are not durable yet.', () => exchange.pendingBytes);
  if (dataDir === undefined) return;
  figures.gauge('journal_file_bytes', 'Length of the journal file, including space allocated in advance.', () => {
    return fileBytes(journalFileIn(dataDir));
  });
}

function watchFollowers(figures: Figures, { exchange, historian, snapshots }: WatchedServer): void {
  figures.gauge(
    'history_lag_records',
    'Durable records that the index of histories does not include yet. It learns of new ones four times a second.',
    () => Math.max(0, exchange.durableSequence - historian.indexedSequence),
  );
  figures.gauge(
    'history_available',
    '1 while questions about histories are answered, 0 while they get 503, at once or after some seconds of waiting.',
    () => {
      return historian.isAnswering && !historian.isCatchingUp ? 1 : 0;
    },
  );
  figures.gauge('snapshot_sequence', 'The last record in the newest snapshot, 0 without one.', () => {
    return snapshots.newestSequence;
  });
  figures.counters('snapshots_total', 'Snapshots that were tried, by outcome.', ['outcome'], (put) => {
    put({ outcome: 'made' }, snapshots.madeCount);
    put({ outcome: 'failed' }, snapshots.failedCount);
  });
}

function watchStreams(figures: Figures, hub: StreamHub): void {
  const { connections, counts, publisher, readers } = hub;
  figures.gauges(
    'stream_sockets',
    'Open WebSockets by channel; undecided ones have not said yet which one they want.',
    ['channel'],
    (put) => {
      const open = { market: 0, user: 0, undecided: 0 };
      for (const { channel } of connections) open[channel ?? 'undecided'] += 1;
      for (const [channel, count] of Object.entries(open)) put({ channel }, count);
    },
  );
  figures.gauge(
    'stream_sockets_held',
    'Open WebSockets that are sent nothing until their client answers a ping.',
    () => {
      let count = 0;
      for (const { isHeld } of connections) if (isHeld) count += 1;
      return count;
    },
  );
  figures.counter('stream_sockets_opened_total', 'WebSockets that were opened.', () => counts.opened);
  figures.counter('stream_sockets_refused_total', 'WebSockets that were turned away.', () => counts.refused);
  figures.counter('stream_holds_total', 'How often a client was found not to read, and held.', () => readers.holdCount);
  figures.counter(
    'stream_slow_closed_total',
    'WebSockets that lost a message, and are closed for it.',
    () => counts.tooSlow,
  );
  figures.counter(
    'stream_frames_total',
    'Frames published to the followers of markets, each counted once however many there are.',
    () => publisher.frameCount,
  );
}

function watchRequests(figures: Figures, requests: RequestFigures): void {
  figures.counters(
    'http_requests_total',
    'Requests by endpoint and status. Route none: whatever found no endpoint, and preflights; status 499: the client had gone.',
    ['method', 'route', 'status'],
    (put) => {
      for (const { labels, statuses } of requests.routes) {
        for (let status = 0; status < statuses.length; status += 1) {
          if (statuses[status] > 0) put({ ...labels, status: String(status) }, statuses[status]);
        }
      }
    },
  );
  figures.histograms(
    'http_request_duration_seconds',
    "From a request's head to its answer's first bytes, including its body and the flush of what it did.",
    () => requests.routes.map(({ labels, seconds }) => [labels, seconds] as const),
  );
}

function watchDoor(figures: Figures, { door }: WatchedServer): void {
  figures.gauge(
    'http_requests_in_progress',
    'Requests that are being answered, this one included.',
    () => door.visitCount,
  );
  const { throttle } = door;
  if (throttle === undefined) return;
  figures.counters(
    'http_throttled_requests_total',
    'Requests that were answered 429, by the row of the table of rates that was full.',
    ['row'],
    (put) => {
      for (const [row, count] of throttle.refusals) put({ row }, count);
    },
  );
  figures.gauge(
    'http_throttle_clients',
    'API keys and addresses whose requests are counted.',
    () => throttle.clientCount,
  );
}
