// A server process of a test file's own with two traders, as most of these tests need it: started before the file's tests,
// stopped after them. Imported for what it exports, which is there once the tests run.
import { afterAll, beforeAll } from 'vitest';
import { newTrader, startWorld, type Trader, type World } from './world.ts';

export let world: World;
export let maker: Trader;
export let taker: Trader;
beforeAll(async () => {
  world = await startWorld();
  [maker, taker] = await Promise.all([newTrader(world.url), newTrader(world.url)]);
});
afterAll(() => world.stop());
