// Replies to operators and to owners of positions: a market as its operator sees it, and a wallet's holdings in one. Called
// by the routes of admin, dev and positions. Amounts are decimal strings in units.
import { AccountFlag, MarketStatus, Resolution } from '../../engine/index.ts';
import { SIGNATURE_TYPES, SignatureType } from '../auth/orderDigest.ts';
import type { Account, AccountsView, Market, MarketsView, Views } from '../views/index.ts';
import { balanceOf } from './balances.ts';
import { aroundList, listTexts, type Texts } from './longTexts.ts';
import { rewardsOf } from './markets.ts';
import { decimalUnits, lotsText, microText, pipsText } from './numbers.ts';
import { HALVES } from './operatorBodies.ts';
import { membersText } from './pieces.ts';
import { marketStatusText } from './terms.ts';

/** The text of the outcome that a market resolved to, or HALVES; null before that. */
function resolutionText({ resolution, outcomes }: Market): string | null {
  if (resolution === undefined) return null;
  return resolution === Resolution.SPLIT ? HALVES : outcomes[resolution];
}

/** A market as its operator sees it, for JSON. */
export function operatorMarket(market: Market): Readonly<Record<string, unknown>> {
  const { terms, texts, tokens, outcomes } = market;
  return {
    condition_id: market.conditionId,
    question_id: market.questionId,
    market_id: market.marketId,
    event_id: market.eventNumber === 0 ? null : String(market.eventNumber),
    slug: market.slug,
    question: market.question,
    status: marketStatusText(market.status),
    resolution: market.status === MarketStatus.RESOLVED ? resolutionText(market) : null,
    tokens: tokens.map((token_id, index) => ({ token_id, outcome: outcomes[index] })),
    neg_risk: market.negRisk,
    tick_size: pipsText(terms.tickPips),
    min_order_size: lotsText(terms.minOrderLots),
    min_marketable_buy: microText(terms.minMarketableBuyMicro),
    fee: { rate: decimalUnits.feeRate.print(terms.feeRate), exponent: terms.feeExponent },
    seconds_delay: terms.delaySeconds,
    auto_tick: terms.autoTick,
    archived: texts.archived === true,
    rewards: rewardsOf(market),
    flags: texts.flags ?? {},
  };
}

/** An account's shares of a token, for JSON. */
function tokenBalance({ tokens, outcomes }: Market, outcome: number, sharesMicro: number) {
  return { token_id: tokens[outcome], outcome: outcomes[outcome], balance: microText(sharesMicro) };
}

/** A wallet's collateral and its shares of a market, for JSON. */
export function holdingsJson(
  accounts: AccountsView,
  wallet: string,
  market: Market,
): Readonly<Record<string, unknown>> {
  const account = accounts.byWallet(wallet);
  return {
    collateral: microText(account?.collateralMicro ?? 0),
    tokens: market.tokens.map((_, outcome) => tokenBalance(market, outcome, balanceOf(account, market.index, outcome))),
  };
}

/** The types whose wallets an operator can bind: the owner's own address needs no binding. */
const BOUND_TYPES = SIGNATURE_TYPES.filter((type) => type !== SignatureType.EOA);

/** An owner's flags and bound wallets, for JSON. */
export function operatorAccount(accounts: AccountsView, owner: string): Readonly<Record<string, unknown>> {
  const flags = accounts.flags(owner);
  const bound = BOUND_TYPES.map((type) => ({ wallet: accounts.boundWallet(owner, type), type }));
  return {
    address: owner,
    banned: (flags & AccountFlag.BANNED) !== 0,
    closed_only: (flags & AccountFlag.CLOSED_ONLY) !== 0,
    bound: bound.filter(({ wallet }) => wallet !== undefined),
  };
}

/** An account's shares of each token that it holds, as JSON texts. */
function* tokenBalances({ sharesMicro }: Account, markets: MarketsView): Generator<string> {
  for (const [token, micro] of sharesMicro) {
    const { market, outcome } = markets.byTokenNumber(token);
    yield JSON.stringify(tokenBalance(market, outcome, micro));
  }
}

/**
 * An owner's flags, and its wallets with their collateral and shares, of which there may be one for each token of the exchange.
 * @param typeOf the signature type that a wallet trades with
 */
export function* accountTexts(
  { accounts, markets }: Views,
  owner: string,
  wallets: readonly string[],
  typeOf: (wallet: string) => number | null,
): Texts {
  const textsOf = (wallet: string): Texts => {
    const account = accounts.byWallet(wallet);
    const balance = microText(account?.collateralMicro ?? 0);
    const tokens = account === undefined ? [] : tokenBalances(account, markets);
    return aroundList(`{${membersText({ wallet, type: typeOf(wallet), balance })},"tokens":[`, tokens, ']}');
  };
  yield `{${membersText(operatorAccount(accounts, owner))},"wallets":`;
  yield* listTexts(wallets, textsOf);
  yield '}';
}
