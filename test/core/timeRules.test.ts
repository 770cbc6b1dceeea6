// The engine's rules about time by example, each scenario named after the rule that it shows: delays, expirations, trade
// statuses, duplicates, heartbeats. rules.test.ts covers orders and money, stateRules.test.ts markets and owners.
import { describe } from 'vitest';
import { scenario } from '../model/scenario.ts';

describe('delay', () => {
  scenario(
    'a crossing order is delayed, then enters as a taker and its remainder rests',
    `market delay 3
     alice gets 10 YES
     bob deposits 20
     #1 alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys 15 YES @ 0.6 GTC → delayed until +3000ms
     bob cancels #2 → keeps #2 DELAYED
     bob cancels all → nothing
     +2999ms time passes → nothing
     +1ms time passes → releases #2, takes 10 of #1 @ 0.5, trades 10 @ 0.5, rests 5`,
  );
  scenario(
    'orders that do not cross, including post-only ones, are not delayed',
    `market delay 3
     alice gets 10 YES
     bob deposits 20
     alice sells 10 YES @ 0.5 GTC → rests
     bob buys 10 YES @ 0.49 GTC → rests
     bob buys 10 YES @ 0.48 GTC post-only → rests`,
  );
  scenario(
    'a delayed FAK BUY reserves its whole budget',
    `market delay 3
     alice gets 10 YES
     bob deposits 6
     alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys $5 of YES @ 0.5 FAK → delayed
     bob withdraws 1.01 → refused BALANCE_SHORT 6000000 5000000 1010000
     bob buys 10 YES @ 0.11 GTC → refused FUNDS 6000000 5000000 1100000`,
  );
  scenario(
    'on release, an order is cancelled if nothing matches or the market is not trading',
    `market delay 3
     alice gets 20 YES
     bob deposits 20
     #1 alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys $5 of YES @ 0.5 FOK → delayed
     alice cancels #1 → cancels #1 REQUESTED
     +3000ms time passes → releases #2, cancels #2 NO_MATCH 10
     #3 alice sells 10 YES @ 0.5 GTC → rests
     #4 bob buys 10 YES @ 0.5 GTC → delayed
     m0 changes status PAUSED → updates m0
     +3000ms time passes → releases #4, cancels #4 NOT_TRADING 10`,
  );
  scenario(
    'on release, an order is cancelled if its owner can no longer pay for it',
    `market delay 3 fee 1000/1
     alice gets 20 YES
     bob deposits 5.25
     #1 alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys 10 YES @ 0.5 GTC → delayed
     bob withdraws 0.25 → WITHDRAWAL
     +3000ms time passes → releases #2, cancels #2 FUNDS 10`,
  );
  scenario(
    'closing a market and a ban cancel delayed orders too',
    `market delay 3
     alice gets 20 YES
     bob deposits 20
     carol deposits 20
     #1 alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys 10 YES @ 0.5 GTC → delayed
     #3 carol buys 10 YES @ 0.5 GTC → delayed
     bob flags 1 1 → flags 1, cancels #2 BANNED 10
     m0 changes status CLOSED → updates m0, cancels #1 MARKET_CLOSED 10, cancels #3 MARKET_CLOSED 10`,
  );
  const closedOnlyMeanwhile = `market delay 3
     alice gets 20 YES
     bob deposits 20
     bob gets 10 NO
     #1 alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys 15 YES @ 0.5 GTC → delayed
     #3 bob sells 4 NO @ 0.5 GTC → delayed
     bob flags 2 2 → flags 2`;
  scenario(
    'on release, a BUY of a closed-only owner is cancelled; a SELL still enters',
    `${closedOnlyMeanwhile}
     +3000ms time passes → releases #2, cancels #2 CLOSED_ONLY 15, releases #3, takes 4 of #1 @ 0.5, trades 4 @ 0.5, filled`,
  );
  scenario(
    'under rules version 4, a delayed BUY of a closed-only owner enters on release, and its remainder rests',
    `started rules 4 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     ${closedOnlyMeanwhile}
     +3000ms time passes → releases #2, takes 10 of #1 @ 0.5, trades 10 @ 0.5, rests 5, releases #3, rests 4`,
  );
  scenario(
    'what a closed-only owner left resting under rules version 4 stays if another flag is set, or this one taken away',
    `started rules 4 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     ${closedOnlyMeanwhile}
     +3000ms time passes → releases #2, takes 10 of #1 @ 0.5, trades 10 @ 0.5, rests 5, releases #3, rests 4
     bob flags 2 2 → flags 2
     started rules 5 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0 → nothing
     bob flags 1 0 → flags 2
     bob flags 2 0 → flags 0
     bob flags 2 2 → flags 2, cancels #2 CLOSED_ONLY 5
     bob flags 2 2 → flags 2`,
  );
  scenario(
    'what a closed-only owner left resting under rules version 4 is cancelled if the flag is set again under version 5',
    `started rules 4 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     ${closedOnlyMeanwhile}
     +3000ms time passes → releases #2, takes 10 of #1 @ 0.5, trades 10 @ 0.5, rests 5, releases #3, rests 4
     started rules 5 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0 → nothing
     bob flags 3 2 → flags 2, cancels #2 CLOSED_ONLY 5`,
  );
  scenario(
    'a delayed GTD order that expires during its delay is cancelled as EXPIRED on release',
    `market delay 90
     alice gets 20 YES
     bob deposits 20
     alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys 10 YES @ 0.5 GTD expires +100s → delayed
     +40000ms time passes → nothing
     +50000ms time passes → releases #2, cancels #2 EXPIRED 10`,
  );
});

describe('time', () => {
  scenario(
    'a GTD order expires one minute before its stated expiration',
    `market
     alice deposits 10
     alice buys 10 YES @ 0.5 GTD expires +59s → refused EXPIRATION_INVALID 1700000059 1700000060
     alice buys 10 YES @ 0.5 GTC expires +90s → refused EXPIRATION_INVALID
     #1 alice buys 10 YES @ 0.5 GTD expires +90s → rests
     +29999ms time passes → nothing
     +1ms time passes → cancels #1 EXPIRED 10`,
  );
  scenario(
    'a GTD order that expires on arrival can still fill before its remainder is cancelled',
    `market
     alice gets 5 YES
     bob deposits 10
     #1 alice sells 5 YES @ 0.5 GTC → rests
     #2 bob buys 10 YES @ 0.5 GTD expires +60s → takes 5 of #1, trades 5 @ 0.5, rests 5, cancels #2 EXPIRED 5`,
  );
  scenario(
    'trades become MINED and CONFIRMED after the configured delays, in trade order',
    `started window 86400000 heartbeat 10000 mined 1000 confirmed 500 credit 0
     market
     alice gets 10 YES
     bob deposits 10
     alice sells 10 YES @ 0.5 GTC → rests
     bob buys 4 YES @ 0.5 FAK → takes, trades, filled
     bob buys 6 YES @ 0.5 FAK → takes, trades, filled
     +1000ms time passes → status MINED m0 1, status MINED m0 2
     +500ms time passes → status CONFIRMED m0 1, status CONFIRMED m0 2`,
  );
  const twoMarketsTrade = `market
     market
     alice gets 10 YES
     alice gets 10 YES in m1
     bob deposits 10
     alice sells 10 YES @ 0.5 GTC → rests
     alice sells 10 YES @ 0.5 GTC in m1 → rests
     bob buys 4 YES @ 0.5 FAK in m1 → takes, trades, filled
     bob buys 4 YES @ 0.5 FAK → takes, trades, filled
     bob buys 6 YES @ 0.5 FAK in m1 → takes, trades, filled`;
  scenario(
    'trade statuses that are due at once are sent in trade order across markets',
    `started window 86400000 heartbeat 10000 mined 1000 confirmed 500 credit 0
     ${twoMarketsTrade}
     +1000ms time passes → status MINED m1 1, status MINED m0 1, status MINED m1 2
     +500ms time passes → status CONFIRMED m1 1, status CONFIRMED m0 1, status CONFIRMED m1 2`,
  );
  scenario(
    'trade statuses of orders released at once are sent in trade order across markets',
    `market delay 3
     market delay 3
     alice gets 10 YES
     alice gets 10 YES in m1
     bob deposits 10
     alice sells 10 YES @ 0.5 GTC → rests
     alice sells 10 YES @ 0.5 GTC in m1 → rests
     bob buys 4 YES @ 0.5 FAK in m1 → delayed
     bob buys 4 YES @ 0.5 FAK → delayed
     +3000ms time passes → releases, takes, trades 4 @ 0.5, filled, releases, takes, trades 4 @ 0.5, filled, status MINED m1 1, status CONFIRMED m1 1, status MINED m0 1, status CONFIRMED m0 1`,
  );
  scenario(
    'under rules version 3, simultaneous trade statuses are ordered by market first',
    `started rules 3 window 86400000 heartbeat 10000 mined 1000 confirmed 500 credit 0
     ${twoMarketsTrade}
     +1000ms time passes → status MINED m0 1, status MINED m1 1, status MINED m1 2
     +500ms time passes → status CONFIRMED m0 1, status CONFIRMED m1 1, status CONFIRMED m1 2`,
  );
  scenario(
    'without delays, a trade becomes MINED and CONFIRMED in the same command as its order',
    `market
     alice gets 10 YES
     bob deposits 10
     alice sells 10 YES @ 0.5 GTC → rests
     bob buys 4 YES @ 0.5 FAK → takes, trades, filled, status MINED m0 1, status CONFIRMED m0 1`,
  );
});

describe('duplicates', () => {
  scenario(
    'an order id is a duplicate once accepted, even after a cancel, but not after a rejection',
    `market
     alice deposits 1
     #1 alice buys 10 YES @ 0.5 GTC → refused FUNDS
     alice deposits 9
     #1 alice buys 10 YES @ 0.5 GTC → rests
     #1 alice buys 10 YES @ 0.5 GTC → refused DUPLICATE
     alice cancels #1 → cancels #1 REQUESTED
     #1 alice buys 10 YES @ 0.5 GTC → refused DUPLICATE`,
  );
  scenario(
    'the signed timestamp must lie within the window and at most an hour ahead',
    `started window 60000 heartbeat 10000 mined 0 confirmed 0 credit 0
     market
     alice deposits 10
     alice buys 1 YES @ 0.5 GTC signed -60001ms → refused TIMESTAMP_OUT_OF_RANGE 1699999939999 1699999940000 1700003600000
     alice buys 1 YES @ 0.5 GTC signed -60000ms → rests
     alice buys 1 YES @ 0.5 GTC signed +3600001ms → refused TIMESTAMP_OUT_OF_RANGE
     alice buys 1 YES @ 0.5 GTC signed +3600000ms → rests`,
  );
  scenario(
    'widening the order window does not let a forgotten id be used again',
    `started window 60000 heartbeat 10000 mined 0 confirmed 0 credit 0
     market
     alice deposits 10
     #1 alice buys 1 YES @ 0.5 GTC → rests
     alice cancels #1 → cancels #1 REQUESTED
     +7200000ms #2 alice buys 1 YES @ 0.5 GTC → rests
     started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     #1 alice buys 1 YES @ 0.5 GTC signed -7200000ms → refused TIMESTAMP_OUT_OF_RANGE 1700000000000 1700007140000`,
  );
  scenario(
    'a whole hour of ids is forgotten at the exact millisecond the window leaves it',
    `started window 60000 heartbeat 10000 mined 0 confirmed 0 credit 0
     market
     alice deposits 10
     #1 alice buys 1 YES @ 0.5 GTC → rests
     +2859999ms #2 alice buys 1 YES @ 0.5 GTC → rests
     started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     alice buys 1 YES @ 0.5 GTC signed -60001ms → rests
     started window 60000 heartbeat 10000 mined 0 confirmed 0 credit 0
     +1ms #3 alice buys 1 YES @ 0.5 GTC → rests
     started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     alice buys 1 YES @ 0.5 GTC signed -60001ms → refused TIMESTAMP_OUT_OF_RANGE 1700002799999 1700002800000
     alice buys 1 YES @ 0.5 GTC signed -60000ms → rests`,
  );
});

describe('heartbeats', () => {
  scenario(
    'a key whose heartbeats stop loses the resting orders it posted, and no others',
    `market
     alice deposits 10
     #1 alice buys 1 YES @ 0.5 GTC → rests
     #2 alice buys 1 YES @ 0.5 GTC key alice:1 → rests
     alice beats next 7 → beats alice:0 next 7 until +10000ms
     +9999ms alice beats given 8 next 9 → expects alice:0 7
     alice beats given 7 next 9 → beats alice:0 next 9 until +19999ms
     +10000ms time passes → lapses alice:0, cancels #1 HEARTBEAT 1
     book
     | 1 @ 0.5 | |`,
  );
  scenario(
    'the older heartbeat form renews without ids, and a lapsed key can restart with any id',
    `market
     alice beats again next 1 → beats alice:0 next 1
     +500ms alice beats again next 2 → beats alice:0 next 1 until +10500ms
     +10000ms time passes → lapses alice:0
     alice beats given 55 next 3 → beats alice:0 next 3`,
  );
  scenario(
    'keys that fall silent at once lapse in the order of their latest heartbeats',
    `alice beats next 1 → beats alice:0 next 1
     bob beats next 1 → beats bob:0 next 1
     alice beats given 1 next 2 → beats alice:0 next 2
     bob beats given 5 next 2 → expects bob:0 1
     +10000ms time passes → lapses bob:0, lapses alice:0
     alice beats next 1 → beats alice:0 next 1
     bob beats next 1 → beats bob:0 next 1
     alice beats given 1 next 2 → beats alice:0 next 2
     +5000ms started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0 → nothing
     +10000ms time passes → lapses bob:0, lapses alice:0`,
  );
  scenario(
    'under rules version 3, silent keys lapse in the order of their first heartbeats',
    `started rules 3 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     alice beats next 1 → beats alice:0 next 1
     bob beats next 1 → beats bob:0 next 1
     alice beats given 1 next 2 → beats alice:0 next 2
     +10000ms time passes → lapses alice:0, lapses bob:0`,
  );
  scenario(
    'a restart gives every heartbeat session its full window again',
    `alice beats next 1 → beats alice:0 next 1 until +10000ms
     +60000ms started window 86400000 heartbeat 5000 mined 0 confirmed 0 credit 0 → nothing
     +4999ms time passes → nothing
     +1ms time passes → lapses alice:0`,
  );
});
