// The batch of rendered messages: each is whole, whatever its script and however full the buffer was. What the messages say is
// tested with the streams that send them.
import { expect, test } from 'vitest';
import { marketStreamId } from '../../server/wire/streamIds.ts';
import { Mask, MessageBatch } from '../../server/wire/streamMessages.ts';

const streamId = marketStreamId(7, 2, '2abcdefgh');

test('texts of any script are written whole, and leave the messages before them as they were', () => {
  const names = ['Ja', 'Łódź', 'Ελλάδα', '東京', '🎾'].map((name) => name.repeat(1_000));
  const batch = new MessageBatch(64);
  for (const name of names) {
    batch.begin('market_resolved', 1_700_000_000_000, Mask.CUSTOM);
    batch.anyText(`,${JSON.stringify({ name }).slice(1)}`);
  }
  expect(batch.count).toBe(names.length);
  for (const [index, name] of names.entries()) {
    const text = batch.filled(index, Buffer.from(streamId), index + 1).toString();
    expect(JSON.parse(text)).toEqual({
      ...{ event_type: 'market_resolved', stream_id: streamId, sequence: index + 1 },
      ...{ server_ts_ms: 1_700_000_000_000, name },
    });
  }
});
