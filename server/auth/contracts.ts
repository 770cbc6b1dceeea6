// The contract addresses that orders are signed for and token ids are derived from, by chain (wire.md B.1). Read at
// start-up; configuration may override each address or name another chain. Nothing here connects to a chain.
import { isAddress } from './hex.ts';

/** The contracts with an address on each chain; configuration may override any of them. */
export const contractNames = [
  /** Verifying contract of V2 orders on ordinary markets. */
  'exchange',
  /** Verifying contract of V2 orders on neg-risk markets. */
  'negRiskExchange',
  'collateral',
  /** Collateral wrapped by the neg-risk adapter; token ids of neg-risk markets derive from it. */
  'negRiskCollateral',
  'conditionalTokens',
  'negRiskAdapter',
] as const;

type ContractAddresses = Readonly<Record<(typeof contractNames)[number], string>>;

/** Addresses of one chain, lower case. */
export type ChainContracts = ContractAddresses & { readonly chainId: number };

const POLYGON: ChainContracts = {
  chainId: 137,
  exchange: '0xe111180000d2663c0091e4f400237545b87b996b',
  negRiskExchange: '0xe2222d279d744050d28e00520010520000310f59',
  collateral: '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb',
  negRiskCollateral: '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2',
  conditionalTokens: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
  negRiskAdapter: '0xada2005600dec949baf300f4c6120000bdb6eaab',
};

/** The neg-risk adapter on chain 137 until July 2026 (wire.md B.1). */
const FORMER_ADAPTER = '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296';

const AMOY: ChainContracts = {
  chainId: 80002,
  exchange: POLYGON.exchange,
  negRiskExchange: POLYGON.negRiskExchange,
  collateral: POLYGON.collateral,
  negRiskCollateral: POLYGON.negRiskCollateral,
  conditionalTokens: '0x69308fb512518e39f9b16112fa8d994f4e2bf8bb',
  // No adapter is known for this chain; the other chain's address stands in, as clients do for the exchanges.
  negRiskAdapter: POLYGON.negRiskAdapter,
};

/** The chains with stock addresses; official clients know no others. */
export const STOCK_CHAINS: readonly ChainContracts[] = [POLYGON, AMOY];

/**
 * The contracts of a chain: the stock addresses, each replaced by a given one.
 * @throws RangeError with a sentence if an address is malformed, or missing for a chain without stock addresses
 */
export function chainContracts(chainId: number, given: Partial<ContractAddresses> = {}): ChainContracts {
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new RangeError(`${chainId} is not a chain id.`);
  const stock = STOCK_CHAINS.find((chain) => chain.chainId === chainId);
  const addressOf = (name: keyof ContractAddresses): string | undefined => given[name] ?? stock?.[name];
  const missing = contractNames.filter((name) => addressOf(name) === undefined);
  if (missing.length > 0) {
    const known = STOCK_CHAINS.map((chain) => chain.chainId).join(' and ');
    const names = missing.join(', ');
    throw new RangeError(`Chain ${chainId} needs addresses for ${names}: only ${known} have stock addresses.`);
  }
  const pick = (name: keyof ContractAddresses): string => {
    const address = addressOf(name);
    if (address === undefined || !isAddress(address))
      throw new RangeError(`The address of ${name} must be 0x and 40 hex digits.`);
    return address.toLowerCase();
  };
  const addresses = Object.fromEntries(contractNames.map((name) => [name, pick(name)])) as ContractAddresses;
  return { chainId, ...addresses };
}

/**
 * The contracts that a wallet must approve to spend what it pays with. Official clients still look for the former neg-risk
 * adapter, so it is added to the stock one.
 */
export function spendersOf({ exchange, negRiskExchange, negRiskAdapter }: ChainContracts): readonly string[] {
  const former = negRiskAdapter === POLYGON.negRiskAdapter ? [FORMER_ADAPTER] : [];
  return [exchange, negRiskExchange, negRiskAdapter, ...former];
}

/**
 * Whether what clients sign for this chain is also valid at the live venue: orders for its stock contracts and, whatever the
 * contracts, the statement that creates an API key, which names the chain alone (wire.md A.1).
 */
export function isLiveVenuesChain({ chainId }: ChainContracts): boolean {
  return chainId === POLYGON.chainId;
}
