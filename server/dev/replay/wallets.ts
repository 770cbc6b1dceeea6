// The replay's wallets: keys derived from a seed, an API key each, collateral from the operator's desk and shares by
// splitting. Called while a replay is prepared. It must never use the wallets that development prints: those belong to
// users.
import { z } from 'zod';
import { signClobAuth } from '../../auth/clobAuth.ts';
import { bytesToHex } from '../../auth/hex.ts';
import { keccak256Text } from '../../auth/keccak.ts';
import { addressOfPrivateKey } from '../../auth/secp256k1.ts';
import { fatal } from '../../process/fatal.ts';
import { microText, secondsText } from '../../wire/numbers.ts';
import { type ApiCredentials, type ExchangeClient, requireSuccess } from './client.ts';
import { Operator } from './operator.ts';
import { mapParallel } from './parallel.ts';

/** A wallet with credentials to trade. */
export interface Trader {
  readonly index: number;
  readonly privateKey: string;
  /** Lower case. */
  readonly address: string;
  readonly credentials: ApiCredentials;
}

/** A wallet's funds before the first row. */
export interface Funding {
  /** Collateral split into shares of both tokens, for each market. */
  readonly sharesMicro: number;
  /** Collateral left after the splits. */
  readonly collateralMicro: number;
}

const credentialsSchema = z.object({ apiKey: z.string(), secret: z.string(), passphrase: z.string() });
const balanceSchema = z.object({ balance: z.string().regex(/^\d{1,16}$/) });

/** The key pair of a wallet: keccak256 of a text with seed and index, so equal in every run with the same seed. */
function replayWallet(seed: number, index: number): { readonly privateKey: string; readonly address: string } {
  const privateKey = bytesToHex(keccak256Text(`outcry recorded flow, seed ${seed}, wallet ${index}`));
  return { privateKey, address: addressOfPrivateKey(privateKey) };
}

async function openTrader(client: ExchangeClient, chainId: number, seed: number, index: number): Promise<Trader> {
  const { privateKey, address } = replayWallet(seed, index);
  const timestamp = secondsText(Date.now());
  const headers = {
    POLY_ADDRESS: address,
    POLY_TIMESTAMP: timestamp,
    POLY_NONCE: '0',
    POLY_SIGNATURE: signClobAuth({ address, timestamp, nonce: '0' }, chainId, privateKey),
  };
  const created = await client.send('POST', '/auth/api-key', { headers });
  // A second replay finds the first one's key; the same signed statement derives it again.
  const reply = created.status === 200 ? created : await client.send('GET', '/auth/derive-api-key', { headers });
  const body = credentialsSchema.safeParse(requireSuccess(reply, `an API key for ${address}`));
  if (!body.success) fatal('usage', `The exchange answered with no API credentials: ${JSON.stringify(reply.body)}.`);
  const credentials = { address, ...body.data };
  return { index, privateKey, address, credentials };
}

/** Creates the wallets and their API keys. @throws FatalError if the exchange refuses one */
export function openTraders(client: ExchangeClient, chainId: number, seed: number, count: number): Promise<Trader[]> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return mapParallel(indexes, (index) => openTrader(client, chainId, seed, index));
}

async function fundTrader(
  client: ExchangeClient,
  operator: Operator,
  conditionIds: readonly string[],
  funding: Funding,
  trader: Trader,
): Promise<void> {
  const { credentials, address } = trader;
  const path = '/balance-allowance?asset_type=COLLATERAL&signature_type=0';
  const reply = await client.send('GET', path, { credentials });
  const { balance } = balanceSchema.parse(requireSuccess(reply, `the balance of ${address}`));
  // The amount to split is always deposited, never taken from the balance, which another replay may be about to split.
  const missingMicro = Math.max(0, funding.collateralMicro - Number(balance));
  const depositMicro = missingMicro + funding.sharesMicro * conditionIds.length;
  if (depositMicro > 0) {
    const body = { address, amount: microText(depositMicro) };
    requireSuccess(await operator.post('/admin/deposits', body), `a deposit for ${address}`);
  }
  for (const condition of conditionIds) {
    const body = { condition_id: condition, amount: microText(funding.sharesMicro) };
    requireSuccess(await client.send('POST', '/split', { body, credentials }), `a split for ${address}`);
  }
}

/** Gives every wallet at least the given collateral and shares of each market. @throws FatalError if refused */
export async function fundTraders(
  client: ExchangeClient,
  adminToken: string,
  conditionIds: readonly string[],
  funding: Funding,
  traders: readonly Trader[],
): Promise<void> {
  const operator = new Operator(client, adminToken);
  await mapParallel(traders, (trader) => fundTrader(client, operator, conditionIds, funding, trader));
}
