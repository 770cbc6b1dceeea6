// The engine's rules about states by example, each scenario named after the rule that it shows: ticks and the lifecycle of
// a market, flags of owners, modes of the exchange, wallets that move. rules.test.ts covers orders and money,
// timeRules.test.ts time.
import { describe } from 'vitest';
import { scenario } from '../model/scenario.ts';

describe('tick', () => {
  scenario(
    'after a tick change, resting orders still match, and new ones must be on the new tick',
    `market tick 0.001
     alice gets 10 YES
     bob deposits 10
     #1 alice sells 10 YES @ 0.555 GTC → rests
     m0 changes tick 0.01 → updates m0
     bob buys 10 YES @ 0.555 GTC → refused PRICE_OFF_TICK 555000 100
     book
     |  | 10 @ 0.555 |
     bob buys 10 YES @ 0.56 GTC → takes 10 of #1 @ 0.555, trades 10 @ 0.555, filled`,
  );
  scenario(
    'auto tick changes 0.01 to 0.001 once the best bid is above 0.96, and never changes back',
    `market auto-tick 1
     alice deposits 10
     alice buys 1 YES @ 0.96 GTC → rests
     #2 alice buys 1 YES @ 0.97 GTC → rests, updates m0 tick 0.001
     alice cancels #2 → cancels #2 REQUESTED
     alice buys 1 YES @ 0.961 GTC → rests`,
  );
  scenario(
    'auto tick also reacts to a best ask below 0.04, and only in markets that enable it',
    `market auto-tick 1
     market
     alice deposits 10
     alice buys 1 NO @ 0.96 GTC → rests
     alice buys 1 NO @ 0.97 GTC → rests, updates m0 tick 0.001
     alice buys 1 NO @ 0.98 GTC in m1 → rests`,
  );
  scenario(
    'auto tick counts resting prices off the tick, and a market update can trigger it',
    `market tick 0.0001 auto-tick 1
     alice deposits 10
     #1 alice buys 1 YES @ 0.9601 GTC → rests
     m0 changes tick 0.01 → updates m0 tick 0.01, updates m0 tick 0.001
     market tick 0.0001 auto-tick 1
     alice buys 1 NO @ 0.96 GTC in m1 → rests
     m1 changes tick 0.01 → updates m1 tick 0.01
     m1 changes tick 0.0001 → updates m1 tick 0.0001
     alice buys 1 NO @ 0.9601 GTC in m1 → rests
     m1 changes status PAUSED tick 0.01 → updates m1 tick 0.01
     m1 changes status OPEN → updates m1 tick 0.01, updates m1 tick 0.001`,
  );
  scenario(
    'an order that is cancelled within its own command does not change the tick, as it did before rules version 5',
    `started rules 4 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     market auto-tick 1
     market auto-tick 1
     alice deposits 10
     #1 alice buys 1 YES @ 0.97 GTD expires +60s → rests, updates m0 tick 0.001, cancels #1 EXPIRED 1
     started rules 5 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0 → nothing
     #2 alice buys 1 YES @ 0.97 GTD in m1 expires +60s → rests, cancels #2 EXPIRED 1
     alice buys 1 YES @ 0.965 GTC in m1 → refused PRICE_OFF_TICK 965000 100
     #3 alice buys 1 NO @ 0.97 GTD in m1 expires +61s → rests, updates m1 tick 0.001`,
  );
  scenario(
    'auto tick waits until a paused market is open again',
    `market
     alice deposits 10
     alice buys 1 YES @ 0.97 GTC → rests
     m0 changes status PAUSED → updates m0
     m0 changes auto-tick 1 → updates m0
     m0 changes status OPEN → updates m0, updates m0 tick 0.001`,
  );
});

describe('lifecycle', () => {
  scenario(
    'a paused market rejects new orders but allows expiry, split and merge, and can reopen',
    `market
     alice deposits 10
     #1 alice buys 1 YES @ 0.5 GTC → rests
     #2 alice buys 1 YES @ 0.4 GTD expires +61s → rests
     m0 changes status PAUSED → updates m0
     alice buys 1 YES @ 0.5 GTC → refused MARKET_NOT_OPEN 2
     alice splits 1 → splits 1
     alice merges 1 → merges 1
     +1000ms time passes → cancels #2 EXPIRED
     m0 changes status OPEN → updates m0
     alice cancels #1 → cancels #1 REQUESTED`,
  );
  scenario(
    'closing a market cancels its orders and is final; merge still works, split and redeem do not',
    `market
     alice deposits 10
     alice splits 2
     #1 alice buys 1 YES @ 0.5 GTC → rests
     #2 alice sells 1 YES @ 0.6 GTC → rests
     m0 changes status CLOSED → updates m0, cancels #1 MARKET_CLOSED 1, cancels #2 MARKET_CLOSED 1
     m0 changes status OPEN → refused MARKET_STATE 3
     m0 changes → updates m0
     alice splits 1 → refused MARKET_STATE 3
     alice merges 1 → merges 1
     alice redeems → refused MARKET_STATE 3
     m0 resolves YES → resolves m0 YES`,
  );
  scenario(
    'resolving an open market closes it first; each winning share pays one unit',
    `market
     alice deposits 10
     alice splits 4
     bob gets 3 YES
     #1 alice sells 4 YES @ 0.6 GTC → rests
     m0 resolves YES → updates m0, cancels #1 MARKET_RESOLVED 4, resolves m0 YES
     alice redeems → pays 4 dust 0
     alice redeems → refused NOTHING_TO_REDEEM
     bob redeems → pays 3 dust 0
     HOUSE redeems → pays 0 dust 0
     alice has 10, 0 YES, 0 NO
     bob has 3
     m0 resolves NO → refused MARKET_STATE 4`,
  );
  scenario(
    'a 50/50 resolution pays half, rounded down; the last redemption sends the remainder to dust',
    `market
     alice gets 0.000003 YES
     bob gets 0.000002 NO
     m0 resolves split → updates m0, resolves m0 split
     alice redeems → pays 0.000001 dust 0
     bob redeems → pays 0.000001 dust 0
     HOUSE redeems → pays 0.000002 dust 0.000001`,
  );
  scenario(
    'a draft market rejects orders, splits and resolution; an open one cannot become a draft',
    `market status DRAFT
     alice deposits 10
     alice buys 1 YES @ 0.5 GTC → refused MARKET_NOT_OPEN 0
     alice splits 1 → refused MARKET_STATE 0
     m0 resolves YES → refused MARKET_STATE 0
     m0 changes status OPEN → updates m0
     m0 changes status DRAFT → refused MARKET_STATE 1`,
  );
  scenario(
    'a draft market can be paused and closed without having been open',
    `market status DRAFT
     market status DRAFT
     m0 changes status PAUSED → updates m0
     m0 changes status DRAFT → refused MARKET_STATE 2
     m0 changes status OPEN → updates m0
     m1 changes status CLOSED → updates m1
     m1 changes status OPEN → refused MARKET_STATE 3`,
  );
  scenario(
    'market terms out of bounds are rejected with the number of the field',
    `market
     m0 changes tick 0.002 → refused MARKET_TERMS 2
     m0 changes min 0 → refused MARKET_TERMS 4
     m0 changes fee 1001/1 → refused MARKET_TERMS 16
     m0 changes fee 100/5 → refused MARKET_TERMS 16
     m0 changes delay 3601 → refused MARKET_TERMS 32`,
  );
});

describe('flags, modes and owners', () => {
  scenario(
    'closed-only allows only SELLs, merges and redemptions, and setting it cancels resting BUYs',
    `market
     alice deposits 10
     alice splits 3
     #1 alice buys 1 YES @ 0.5 GTC → rests
     #2 alice sells 1 YES @ 0.6 GTC → rests
     alice flags 2 2 → flags 2, cancels #1 CLOSED_ONLY 1
     alice buys 1 YES @ 0.5 GTC → refused CLOSED_ONLY
     #3 alice sells 1 YES @ 0.6 GTC → rests
     alice splits 1 → refused CLOSED_ONLY
     alice merges 1 → merges 1
     alice flags 2 0 → flags 0
     #4 alice buys 1 YES @ 0.5 GTC → rests
     alice splits 1 → splits 1
     alice flags 2 2 → flags 2, cancels #4 CLOSED_ONLY 1
     m0 resolves YES → updates m0, cancels #2 MARKET_RESOLVED 1, cancels #3 MARKET_RESOLVED 1, resolves m0 YES
     alice redeems → pays 3 dust 0`,
  );
  scenario(
    'a banned owner who is closed-only too is refused splits as banned',
    `market
     alice deposits 10
     alice flags 3 3 → flags 3
     alice splits 1 → refused BANNED`,
  );
  scenario(
    'under rules version 4, a closed-only owner can split',
    `started rules 4 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     market
     alice deposits 10
     alice flags 2 2 → flags 2
     alice splits 2 → splits 2`,
  );
  scenario(
    'a ban cancels all orders of all wallets and rejects orders and splits; merge still works',
    `market
     alice deposits 10
     alice deposits 10 from alice/1
     alice splits 2
     #1 alice buys 1 YES @ 0.5 GTC → rests
     #2 alice buys 1 YES @ 0.5 GTC from alice/1 → rests
     alice flags 1 1 → flags 1, cancels #1 BANNED, cancels #2 BANNED
     alice sells 1 YES @ 0.6 GTC → refused BANNED
     alice splits 1 → refused BANNED
     alice merges 1 → merges 1`,
  );
  scenario(
    'under rules version 1, a banned owner can split',
    `started rules 1 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0
     market
     alice deposits 10
     alice flags 1 1 → flags 1
     alice splits 2 → splits 2`,
  );
  scenario(
    'POST_ONLY and CANCEL_ONLY modes restrict orders; DISABLED and RESTARTING reject cancels too',
    `market
     alice deposits 10
     #1 alice buys 1 YES @ 0.5 GTC → rests
     mode POST_ONLY → mode POST_ONLY
     alice buys 1 YES @ 0.5 GTC → refused EXCHANGE_POST_ONLY
     #3 alice buys 1 YES @ 0.5 GTC post-only → rests
     mode CANCEL_ONLY → mode CANCEL_ONLY
     alice buys 1 YES @ 0.5 GTC post-only → refused EXCHANGE_CANCEL_ONLY
     mode DISABLED → mode DISABLED
     alice cancels #1 → refused EXCHANGE_DISABLED
     mode RESTARTING → mode RESTARTING
     alice cancels all → refused EXCHANGE_RESTARTING
     mode CANCEL_ONLY → mode CANCEL_ONLY
     alice cancels m0 YES → cancels #1 REQUESTED, cancels #3 REQUESTED`,
  );
  scenario(
    'a cancel affects only orders of its owner, and handles each id once',
    `market
     alice deposits 10
     bob deposits 10
     #1 alice buys 1 YES @ 0.5 GTC → rests
     #2 bob buys 1 YES @ 0.5 GTC → rests
     alice cancels #1 #2 #1 #9 → cancels #1 REQUESTED, keeps #2 NOT_FOUND, keeps #9 NOT_FOUND
     alice cancels all → nothing
     bob cancels m0 NO → nothing
     bob cancels m1 → refused MARKET_UNKNOWN`,
  );
  scenario(
    'a wallet belongs to one owner; binding it to another cancels its orders',
    `market
     alice deposits 10 from alice/1
     bob deposits 10 from alice/1 → refused WALLET_NOT_OWNED
     #1 alice buys 1 YES @ 0.5 GTC from alice/1 → rests
     bob binds alice/1 → cancels #1 WALLET_MOVED 1
     alice buys 1 YES @ 0.5 GTC from alice/1 → refused WALLET_NOT_OWNED
     bob buys 1 YES @ 0.5 GTC from alice/1 → rests`,
  );
  scenario(
    'a wallet bound before it has an account belongs to its owner from then on',
    `started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 100
     market
     bob binds alice/1 → opens alice/1
     bob binds alice/1 → nothing
     alice creates alice:0 kind 0 crediting alice alice/1 → opens alice, CREDIT 100
     alice deposits 10 from alice/1 → refused WALLET_NOT_OWNED
     bob deposits 10 from alice/1 → DEPOSIT
     bob buys 1 YES @ 0.5 GTC from alice/1 → rests`,
  );
  scenario(
    'under rules version 1, binding a wallet without an account opens no account',
    `started rules 1 window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 100
     bob binds alice/1 → nothing
     alice deposits 10 from alice/1 → opens alice/1, DEPOSIT
     bob deposits 10 from alice/1 → refused WALLET_NOT_OWNED`,
  );
  scenario(
    'an owner’s first trading key credits its wallets once',
    `started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 100
     alice creates alice:0 kind 1 crediting alice → nothing
     alice creates alice:0 kind 0 crediting alice alice/1 → CREDIT 100, CREDIT 100
     alice creates alice:1 kind 0 crediting alice → nothing
     alice has 100`,
  );
  scenario(
    'deposits that would bring their sum above 2^53 - 1 micro are rejected',
    `market
     alice deposits 9007199254.740991 → DEPOSIT
     bob deposits 0.000001 → refused DEPOSITS_FULL 9007199254740991 1
     bob gets 0.000001 YES → refused DEPOSITS_FULL
     bob deposits 0 → refused AMOUNT_INVALID 0
     alice withdraws 9007199254.740991 → WITHDRAWAL
     bob deposits 0.000001 → refused DEPOSITS_FULL`,
  );
});
