// Two traders in the test file's own world, one who rests orders and one who takes them, which suits most of these tests.
// Imported for its exports, which are set once the tests run.
import { beforeAll } from 'vitest';
import { world } from './ownWorld.ts';
import { newTrader, type Trader } from './world.ts';

export let maker: Trader;
export let taker: Trader;
beforeAll(async () => {
  [maker, taker] = await Promise.all([newTrader(world.url), newTrader(world.url)]);
});
