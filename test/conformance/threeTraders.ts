// Three traders in the test file's own world, for the effects of a match on several parties; Bob trades from a Safe, the
// others from their keys' own wallets. Imported for its exports, which are set once the tests run.
import { beforeAll } from 'vitest';
import { world } from './ownWorld.ts';
import { newTrader, type Trader } from './world.ts';

export let alice: Trader;
export let bob: Trader;
export let carol: Trader;
beforeAll(async () => {
  [alice, bob, carol] = await Promise.all([newTrader(world.url), newTrader(world.url, 2), newTrader(world.url)]);
});
