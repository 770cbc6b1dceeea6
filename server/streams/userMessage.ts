// The messages of an owner's stream, from the entries that the feed makes of the log. Used by the channel, for entries in memory,
// and by the thread that reads older ones from the log: both send the same text.
import type { Views } from '../views/index.ts';
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
