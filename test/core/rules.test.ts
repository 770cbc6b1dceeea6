// The engine's rules by example, each scenario named after the rule that it shows. Every line runs through the real core
// and the reference at once; `→` is followed by the expected events. Sizes in shares, prices and money in units of
// collateral.
import { describe } from 'vitest';
import { scenario } from '../model/scenario.ts';

describe('matching', () => {
  scenario(
    'orders fill by best price first, then by time',
    `market
     alice gets 30 YES
     bob gets 30 YES
     carol deposits 100
     #1 alice sells 10 YES @ 0.55 GTC → rests 10
     #2 bob sells 10 YES @ 0.55 GTC → rests 10
     #3 bob sells 10 YES @ 0.54 GTC → rests 10
     #4 carol buys 25 YES @ 0.55 GTC → takes 10 of #3 @ 0.54, trades 10 @ 0.54, takes 10 of #1 @ 0.55, takes 5 of #2 @ 0.55 COMPLEMENTARY leaving 5, trades 15 @ 0.55, filled
     book
     |  | 5 @ 0.55 |`,
  );
  scenario(
    'both tokens share one ladder: a bid for NO is an ask for YES',
    `market
     alice deposits 100
     bob deposits 100
     alice buys 10 NO @ 0.4 GTC → rests 10
     bob buys 20 YES @ 0.3 GTC → rests 20
     book
     | 20 @ 0.3 | 10 @ 0.6 |`,
  );
  scenario(
    'complementary: shares and collateral change hands',
    `market
     alice gets 10 YES
     bob deposits 10
     #1 alice sells 10 YES @ 0.6 GTC → rests 10
     bob buys 10 YES @ 0.6 GTC → takes 10 of #1 @ 0.6 COMPLEMENTARY, trades 10 @ 0.6, filled
     alice has 6, 0 YES
     bob has 4, 10 YES`,
  );
  scenario(
    'mint: two buyers of opposite tokens pay one unit together and a set is made',
    `market
     alice deposits 10
     bob deposits 10
     #1 alice buys 10 NO @ 0.4 GTC → rests 10
     bob buys 10 YES @ 0.6 GTC → takes 10 of #1 @ 0.4 MINT, trades 10 @ 0.6, filled
     alice has 6, 0 YES, 10 NO
     bob has 4, 10 YES, 0 NO`,
  );
  scenario(
    'merge: two sellers of opposite tokens are paid one unit together and a set is destroyed',
    `market
     alice gets 10 NO
     bob gets 10 YES
     #1 alice sells 10 NO @ 0.4 GTC → rests 10
     bob sells 10 YES @ 0.6 GTC → takes 10 of #1 @ 0.4 MERGE, trades 10 @ 0.6, filled
     alice has 4, 0 NO
     bob has 6, 0 YES`,
  );
  scenario(
    'makers trade at their own price and the taker gets all price improvement, across tokens too',
    `market
     alice deposits 10
     bob deposits 10
     #1 alice buys 10 NO @ 0.45 GTC → rests 10
     bob buys 10 YES @ 0.7 GTC → takes 10 of #1 @ 0.45 MINT, trades 10 @ 0.55, filled
     alice has 5.5, 10 NO
     bob has 4.5, 10 YES`,
  );
  scenario(
    'a taker gets one trade per price level, even if its fills are of different kinds',
    `market
     alice gets 10 YES
     bob deposits 10
     carol deposits 20
     #1 alice sells 10 YES @ 0.6 GTC → rests
     #2 bob buys 10 NO @ 0.4 GTC → rests
     carol buys 20 YES @ 0.6 GTC → takes 10 of #1 @ 0.6 COMPLEMENTARY, takes 10 of #2 @ 0.4 MINT, trades 20 @ 0.6, filled`,
  );
});

describe('order types', () => {
  scenario(
    'the unfilled remainder of a crossing GTC order rests at its own limit price',
    `market
     alice gets 10 YES
     bob deposits 20
     #1 alice sells 10 YES @ 0.5 GTC → rests
     bob buys 15 YES @ 0.6 GTC → takes 10 of #1 @ 0.5, trades 10 @ 0.5, rests 5
     book
     | 5 @ 0.6 | |`,
  );
  scenario(
    'a killed FOK leaves the book unchanged, and its id is rejected as a duplicate afterwards',
    `market
     alice gets 10 YES
     bob deposits 20
     alice sells 10 YES @ 0.5 GTC → rests
     #7 bob buys $6 of YES @ 0.5 FOK → killed FOK_NOT_FILLED 10
     book
     |  | 10 @ 0.5 |
     bob has 20
     #7 bob buys $5 of YES @ 0.5 FOK → refused DUPLICATE`,
  );
  scenario(
    'a FOK BUY counts as filled if less than one lot at its limit is left unspent',
    `market
     alice gets 10 YES
     bob deposits 20
     #1 alice sells 10 YES @ 0.5 GTC → rests
     bob buys raw 1004999:2009998 YES FOK → takes 2 of #1, trades 2 @ 0.5, filled
     bob buys raw 4000001:8000000 YES FOK → takes 8 of #1, trades 8 @ 0.5, filled
     bob has 15, 10 YES`,
  );
  scenario(
    'a FAK fills what the book offers and cancels the rest, or is killed if nothing matches',
    `market
     alice gets 10 YES
     bob deposits 20
     #1 alice sells 10 YES @ 0.5 GTC → rests
     #2 bob buys $8 of YES @ 0.5 FAK → takes 10 of #1 @ 0.5, trades 10 @ 0.5, cancels #2 FAK_REMAINDER 6
     #3 bob sells 4 YES @ 0.4 FAK → killed FAK_NOT_MATCHED`,
  );
  scenario(
    'a BUY by budget spends from the best price upward, in whole lots',
    `market
     alice gets 30 YES
     bob deposits 10
     #1 alice sells 10 YES @ 0.3 GTC → rests
     #2 alice sells 10 YES @ 0.35 GTC → rests
     #3 bob buys $5 of YES @ 0.5 FAK → takes 10 of #1 @ 0.3, trades 10 @ 0.3, takes 5.71 of #2 @ 0.35, trades 5.71 @ 0.35, filled
     bob has 5.0015, 15.71 YES`,
  );
  scenario(
    'a BUY by budget fills no more lots than an order may have, however cheap they are',
    `market tick 0.0001
     alice deposits 30000000
     alice splits 20000000
     #1 alice sells 9000000 YES @ 0.0001 GTC → rests
     #2 alice sells 9000000 YES @ 0.0002 GTC → rests
     bob deposits 10000
     bob buys $1500 of YES @ 0.5 FOK → killed FOK_NOT_FILLED
     #4 bob buys $5000 of YES @ 0.5 FAK → takes 9000000 of #1 @ 0.0001, trades 9000000 @ 0.0001, takes 1000000 of #2 @ 0.0002, trades 1000000 @ 0.0002, cancels #4 FAK_REMAINDER
     bob has 10000000 YES, 8900`,
  );
  scenario(
    'under rules version 1, a BUY by budget fills everything its budget pays for',
    `started rules 1 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     market tick 0.0001
     alice deposits 30000000
     alice splits 20000000
     #1 alice sells 9000000 YES @ 0.0001 GTC → rests
     #2 alice sells 9000000 YES @ 0.0002 GTC → rests
     bob deposits 10000
     #3 bob buys $5000 of YES @ 0.5 FAK → takes 9000000 of #1 @ 0.0001, trades 9000000 @ 0.0001, takes 9000000 of #2 @ 0.0002, trades 9000000 @ 0.0002, cancels #3 FAK_REMAINDER`,
  );
  scenario(
    'a FOK or FAK price is rounded to the tick, never at the expense of its owner',
    `market
     alice gets 10 YES
     bob deposits 10
     #1 alice sells 10 YES @ 0.56 GTC → rests
     bob buys raw 5590000:10000000 YES FAK → killed FAK_NOT_MATCHED
     bob buys raw 5600000:10000000 YES FAK → takes 10 of #1, trades, filled`,
  );
  scenario(
    'a FOK or FAK priced out of range is clamped if that is safe for its owner, else rejected',
    `market
     alice gets 10 YES
     bob deposits 20
     #1 alice sells 5 YES @ 0.99 GTC → rests
     #3 bob buys raw 5000000:5000000 YES FAK → takes 5 of #1 @ 0.99, trades 5 @ 0.99, cancels #3 FAK_REMAINDER 0.05
     bob buys raw 5000:1000000 YES FAK → refused PRICE_OFF_TICK 5000 100
     bob sells raw 1000000:1000000 YES FAK → refused PRICE_OFF_TICK 1000000 100
     carol deposits 10
     #2 carol buys 5 YES @ 0.01 GTC → rests
     bob sells raw 1000000:1 YES FAK → takes 1 of #2 @ 0.01, trades 1 @ 0.01, filled`,
  );
  scenario(
    'GTC orders with an off-tick price, inexact or zero amounts or too large a size are rejected',
    `market
     alice deposits 100
     alice buys 10 YES @ 0.555 GTC → refused PRICE_OFF_TICK 555000 100
     alice buys 10 YES @ 1 GTC → refused PRICE_OFF_TICK 1000000 100
     alice buys raw 5000001:10000000 YES GTC → refused AMOUNT_ACCURACY 5000001 10000000 100
     alice buys raw 5000:10001 YES GTC → refused AMOUNT_ACCURACY
     alice buys raw 0:10000 YES GTC → refused AMOUNT_NOT_POSITIVE 0 10000
     alice buys 10000000.01 YES @ 0.5 GTC → refused SIZE_TOO_LARGE 1000000001 1000000000`,
  );
  scenario(
    'client-signed FOK and FAK amounts may have only the decimals that production accepts',
    `market
     market tick 0.001
     market tick 0.0025
     alice deposits 1000
     bob deposits 1000
     alice splits 100
     bob buys raw 5010000:10020000 YES FAK accurate → killed FAK_NOT_MATCHED
     bob buys raw 5010000:10019999 YES FAK accurate → refused AMOUNT_ACCURACY 5010000 10019999 100
     bob buys raw 5010000:10019900 YES FAK accurate → killed FAK_NOT_MATCHED
     bob buys raw 5001000:10000000 YES FOK accurate → refused AMOUNT_ACCURACY 5001000 10000000 100
     bob buys raw 5001000:10000000 YES FOK → killed FOK_NOT_FILLED
     bob buys raw 5010000:10019990 YES FAK accurate in m1 → killed FAK_NOT_MATCHED
     bob buys raw 5010000:10019999 YES FAK accurate in m1 → refused AMOUNT_ACCURACY 5010000 10019999 10
     bob buys raw 5010000:10019999 YES FAK accurate in m2 → killed FAK_NOT_MATCHED
     alice sells raw 10000000:4999900 YES FAK accurate → killed FAK_NOT_MATCHED
     alice sells raw 10000000:4999990 YES FAK accurate → refused AMOUNT_ACCURACY 10000000 4999990 100
     alice sells raw 10000000:4999990 YES FAK → killed FAK_NOT_MATCHED
     alice buys raw 5000000:10000000 YES GTC accurate → rests`,
  );
  scenario(
    'a post-only order that would cross is rejected, across tokens and against own orders too',
    `market
     alice deposits 10
     bob deposits 10
     alice buys 10 NO @ 0.4 GTC → rests
     bob buys 10 YES @ 0.6 GTC post-only → refused POST_ONLY_CROSSES 6000
     alice buys 10 YES @ 0.65 GTC post-only → refused POST_ONLY_CROSSES 6000
     bob buys 10 YES @ 0.59 GTC post-only → rests 10
     bob buys 10 YES @ 0.6 FAK post-only → refused POST_ONLY_TYPE`,
  );
  scenario(
    'orders that may rest need a minimum size, BUYs that cross a minimum amount',
    `market min 5 buy-min 1
     alice deposits 10
     bob deposits 10
     alice buys 4.99 YES @ 0.1 GTC → refused SIZE_BELOW_MINIMUM 499 500
     #1 alice buys 9 NO @ 0.9 GTC → rests
     bob buys 5 YES @ 0.1 GTC → refused MARKETABLE_BUY_BELOW_MINIMUM 500000 1000000
     bob buys $0.99 of YES @ 0.1 FAK → refused MARKETABLE_BUY_BELOW_MINIMUM 990000 1000000
     bob buys 5 YES @ 0.09 GTC → rests 5
     alice buys 5 YES @ 0.1 GTC → cancels #1 SELF_TRADE, rests`,
  );
});

describe('fees', () => {
  scenario(
    'a BUY taker pays rate times p(1-p) on top, rounded down to 10 micro, once per trade',
    `market fee 200/1
     alice gets 20 YES
     bob deposits 20
     #1 alice sells 3.33 YES @ 0.5 GTC → rests
     #2 alice sells 3.33 YES @ 0.5 GTC → rests
     bob buys 6.66 YES @ 0.5 GTC → takes, takes, trades 6.66 @ 0.5 fee 0.0333, filled
     bob has 16.6367
     alice has 3.33
     FEES has 0.0333`,
  );
  scenario(
    'a SELL taker pays the fee out of the proceeds',
    `market fee 1000/2
     alice deposits 10
     bob gets 10 YES
     alice buys 10 YES @ 0.3 GTC → rests
     bob sells 10 YES @ 0.3 FAK → takes, trades 10 @ 0.3 fee 0.0441, filled
     bob has 2.9559`,
  );
});

describe('self-trade', () => {
  scenario(
    'own orders in the way are cancelled before the fills, those beyond the last fill stay',
    `market
     alice gets 30 YES
     alice deposits 50
     bob gets 30 YES
     #1 alice sells 10 YES @ 0.48 GTC → rests
     #2 bob sells 10 YES @ 0.5 GTC → rests
     #3 alice sells 10 YES @ 0.5 GTC → rests
     #4 alice sells 10 YES @ 0.52 GTC → rests
     #5 alice buys $4 of YES @ 0.55 FAK → cancels #1 SELF_TRADE 10, takes 8 of #2, trades 8 @ 0.5, filled
     book
     |  | 12 @ 0.5 |
     |  | 10 @ 0.52 |`,
  );
  scenario(
    'a resting remainder cancels all own orders that it would cross',
    `market
     alice gets 30 YES
     alice deposits 50
     bob gets 10 YES
     #2 bob sells 10 YES @ 0.5 GTC → rests
     #3 alice sells 10 YES @ 0.51 GTC → rests
     #4 alice sells 10 YES @ 0.53 GTC → rests
     alice buys 20 YES @ 0.52 GTC → cancels #3 SELF_TRADE 10, takes 10 of #2, trades 10 @ 0.5, rests 10`,
  );
  scenario(
    'self-trade is checked per owner: orders of its other wallets are cancelled too',
    `market
     alice gets 10 YES
     alice deposits 10 from alice/1
     #1 alice sells 10 YES @ 0.5 GTC → rests
     #2 alice buys 10 YES @ 0.6 GTC from alice/1 → cancels #1 SELF_TRADE 10, rests 10`,
  );
  scenario(
    'funds released by a self-trade cancel count towards the new order',
    `market
     alice deposits 5
     bob deposits 5
     #1 alice buys 10 NO @ 0.5 GTC → rests
     alice buys 10 YES @ 0.49 GTC → refused FUNDS 5000000 5000000 4900000
     #2 alice buys 10 YES @ 0.5 GTC → cancels #1 SELF_TRADE 10, rests 10`,
  );
});

describe('funds and coverage', () => {
  scenario(
    'a FUNDS rejection carries the balance, reserved and needed amounts',
    `market
     alice deposits 10
     alice buys 10 YES @ 0.6 GTC → rests
     alice buys 10 YES @ 0.5 GTC → refused FUNDS 10000000 6000000 5000000
     alice sells 1 YES @ 0.7 GTC → refused FUNDS 0 0 1000000`,
  );
  scenario(
    'collateral may back orders in several markets; if it falls, the newest uncovered are cancelled',
    `market
     market
     alice deposits 10
     bob gets 100 YES
     #1 alice buys 10 YES @ 0.3 GTC in m1 → rests
     #2 alice buys 10 YES @ 0.3 GTC in m1 → rests
     #3 alice buys 10 YES @ 0.3 GTC in m1 → rests
     #4 alice buys 10 YES @ 0.6 GTC → rests
     bob sells 10 YES @ 0.6 FAK → takes 10 of #4, trades 10 @ 0.6, filled, cancels #3 INVALID 10, cancels #2 INVALID 10
     alice has 4, 10 YES`,
  );
  scenario(
    'coverage never cancels SELL orders',
    `market
     market
     alice deposits 10
     alice gets 10 YES in m1
     bob gets 100 YES
     #1 alice sells 10 YES @ 0.3 GTC in m1 → rests
     #2 alice buys 10 YES @ 0.3 GTC in m1 → cancels #1 SELF_TRADE, rests
     #3 alice sells 10 YES @ 0.4 GTC in m1 → rests
     #4 alice buys 10 YES @ 0.9 GTC → rests
     bob sells 10 YES @ 0.9 FAK → takes, trades, filled, cancels #2 INVALID 10
     book m1
     |  | 10 @ 0.4 |`,
  );
  scenario(
    'split and withdraw must leave the largest reservation of any market, merge what SELLs hold',
    `market
     market
     alice deposits 10
     alice buys 10 YES @ 0.6 GTC → rests
     alice buys 10 YES @ 0.3 GTC in m1 → rests
     alice splits 4.000001 → refused BALANCE_SHORT 10000000 6000000 4000001
     alice splits 3 → splits 3
     alice withdraws 1.000001 → refused BALANCE_SHORT 7000000 6000000 1000001
     alice withdraws 1 → WITHDRAWAL 1
     alice sells 2 NO @ 0.5 GTC → rests
     alice merges 1.000001 → refused SHARES_SHORT 1000000 1000001
     alice merges 1 → merges 1
     alice has 7, 2 YES, 2 NO`,
  );
});
