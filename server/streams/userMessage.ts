// The messages of an owner's stream, from the entries that the feed makes of the log. Used by the channel, for entries in memory,
// and by the thread that reads older ones from the log: both send the same text. An owner may have many sockets, and a trade
// thousands of makers, so a long message is rendered once for all sockets.
import type { Trade, Views } from '../views/index.ts';
import { headText } from '../wire/streamMessages.ts';
import { orderEventRest, tradeEventRest } from '../wire/userEvents.ts';
import type { UserEntry } from './userEntries.ts';

/** A message of an owner's stream as text; undefined if its market is unknown. */
export function userMessage(
  views: Views,
  entry: UserEntry,
  owner: string,
  streamId: string,
  sequence: number,
): string | undefined {
  const market = views.markets.byIndex(entry.marketIndex);
  if (market === undefined) return undefined;
  const isTrade = entry.kind === 'TRADE';
  const rest = isTrade ? tradeEventRest(entry, market, owner) : orderEventRest(entry, market);
  return headText(isTrade ? 'trade' : 'order', streamId, String(sequence), entry.tMs) + rest;
}

/** A message of so many characters is kept for the next socket. */
const LONG_CHARACTERS = 65_536;

/** The long message that was rendered last, and what its text depends on. */
interface Rendered {
  readonly trade: Trade;
  readonly marketVersion: number | undefined;
  readonly streamId: string;
  readonly sequence: number;
  readonly frame: Buffer;
}

let rendered: Rendered | undefined;

/** The same as a frame for one of the stream's sockets. */
export function userFrame(
  views: Views,
  entry: UserEntry,
  owner: string,
  streamId: string,
  sequence: number,
): string | Buffer | undefined {
  if (entry.kind !== 'TRADE') return userMessage(views, entry, owner, streamId, sequence);
  const { trade } = entry;
  const marketVersion = views.markets.byIndex(entry.marketIndex)?.version;
  const last = rendered;
  const isSameTrade = last?.trade === trade && last.marketVersion === marketVersion;
  if (isSameTrade && last.streamId === streamId && last.sequence === sequence) return last.frame;
  const text = userMessage(views, entry, owner, streamId, sequence);
  if (text === undefined || text.length < LONG_CHARACTERS) return text;
  rendered = { trade, marketVersion, streamId, sequence, frame: Buffer.from(text) };
  return rendered.frame;
}
