// How a replay interprets the exchange's replies: what an order gave and took, and that a reply of another shape is never
// taken for "nothing happened".
import { expect, test } from 'vitest';
import { readBook, readCancelReply, readOrderReplies, readTradeMakers } from '../../server/dev/replay/replies.ts';

const placed = (more: object) => ({
  errorMsg: '',
  orderID: '0x1',
  status: 'live',
  makingAmount: '',
  takingAmount: '',
  ...more,
});
const ok = (body: unknown) => ({ status: 200, body });

test('filled shares are the taking amount of a BUY and the making amount of a SELL', () => {
  const matched = placed({ status: 'matched', makingAmount: '0.6', takingAmount: '1.5', tradeIDs: ['t'] });
  const [buy, sell, rests] = readOrderReplies(ok([matched, matched, placed({})]), [true, false, true]);
  expect(buy).toEqual({ isAccepted: true, orderId: '0x1', filledLots: 150, tradeIds: ['t'] });
  expect(sell).toMatchObject({ filledLots: 60 });
  expect(rests).toEqual({ isAccepted: true, orderId: '0x1', filledLots: 0, tradeIds: [] });
});

test('a rejection keeps its error message, for one order of a batch or the whole request', () => {
  const killed = "order couldn't be fully filled. FOK orders are fully filled or killed.";
  expect(readOrderReplies(ok([placed({ errorMsg: killed }), placed({})]), [true, true])).toMatchObject([
    { isAccepted: false, sentence: killed, isKilled: true },
    { isAccepted: true },
  ]);
  const refused = { isAccepted: false, sentence: 'not enough balance', isKilled: false };
  expect(readOrderReplies({ status: 400, body: { error: 'not enough balance' } }, [true, false])).toEqual([
    refused,
    refused,
  ]);
  const not_canceled = { '0x2': 'already canceled or matched' };
  expect(readCancelReply(ok({ canceled: ['0x1'], not_canceled }))).toEqual({
    canceled: ['0x1'],
    refused: [['0x2', 'already canceled or matched']],
  });
});

test('a response of an unexpected shape throws an error', () => {
  const error = { error: 'something else' };
  const trade = { maker_orders: [{ order_id: '0x1', matched_amount: '1' }] };
  const level = { price: '0.5', size: '1' };
  for (const read of [
    () => readOrderReplies(ok([placed({})]), [true, true]),
    () => readOrderReplies(ok(placed({ orderID: 7 })), [true]),
    () => readOrderReplies(ok(placed({ takingAmount: 'much' })), [true]),
    () => readOrderReplies({ status: 401, body: error }, [true]),
    () => readOrderReplies({ status: 500, body: error }, [true]),
    () => readOrderReplies({ status: 400, body: undefined }, [true]),
    () => readCancelReply({ status: 400, body: { canceled: [], not_canceled: {} } }),
    () => readTradeMakers(ok({ data: [] })),
    () => readTradeMakers(ok({ data: [trade, trade] })),
    () => readBook(ok({ bids: [level, level], asks: [] })),
    () => readBook(ok({ bids: [] })),
  ]) {
    expect(read).toThrow(/^The exchange answered .* with \d{3} and an unexpected body: /);
  }
  expect(readTradeMakers(ok({ data: [trade] }))).toEqual([{ orderId: '0x1', lots: 100 }]);
});
