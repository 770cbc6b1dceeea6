// Positions of a millionth of a share, the least there is: shown, counted, redeemable and closed like any other. The random
// histories hardly ever reach them.
import { expect, test } from 'vitest';
import { type Command, encodeCommand } from '../../engine/index.ts';
import type { HistoryRequest, PositionsQuery } from '../../server/wire/historyQueries.ts';
import { conditionOf, foundingCommands, keyIdOf, ownerOf } from '../streams/workload.ts';
import { expectSame, openVenue, oracleOf } from './harness.ts';
import { everything, listsOf } from './questions.ts';

/** The questions that tell the least amount from none. */
function questionsOf(user: string): HistoryRequest[] {
  const [all] = listsOf(user);
  const filters: Partial<PositionsQuery>[] = [{ sizeThresholdMicro: 1 }, { mergeable: true }, { redeemable: true }];
  const holders = { kind: 'holders', conditionIds: [conditionOf(0)], limit: 500, minBalanceMicro: 1 } as const;
  const queries = [holders, ...filters.map((filter) => ({ ...all, ...filter }))];
  return queries.map((query) => ({ query, dialect: 'root' }));
}

test('positions of a millionth of a share are held, merged and redeemed like any other', async () => {
  const venue = await openVenue();
  const { exchange, historian } = venue;
  for (const command of foundingCommands(1)) void exchange.submit(command);
  const of = (index: number) => ({ owner: ownerOf(index), wallet: ownerOf(index), keyId: keyIdOf(index) });
  const sets = { marketIndex: 0, amountMicro: 1, flags: 0 } as const;
  const steps: readonly (readonly Command[])[] = [
    // The later account is the first to hold any: holders of the same amount are listed in the order of their accounts.
    [1, 0].map((index) => ({ type: 'Split', ...of(index), ...sets })),
    [{ type: 'Merge', ...of(0), ...sets }],
    [{ type: 'ResolveMarket', marketIndex: 0, resolution: 0 }],
    [{ type: 'Redeem', ...of(1), marketIndex: 0, flags: 0 }],
  ];
  const held: number[] = [];
  for (const [index, commands] of steps.entries()) {
    for (const command of commands) await exchange.submit(encodeCommand(command));
    const oracle = oracleOf(venue.records);
    held.push(oracle.holdings.filter(({ size }) => size === 1n).length);
    const asked = [...everything(oracle), ...[0, 1].flatMap((owner) => questionsOf(ownerOf(owner)))];
    await expectSame(historian, oracle, asked, `step ${index}`);
  }
  expect(held).toEqual([4, 2, 2, 0]);
  await venue.close();
});
