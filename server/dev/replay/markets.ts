// The markets that a recording is replayed in: created through the operator's interface, with the recorded token ids in the
// first run on an exchange and with ids derived from the run's number in later ones. Called while a replay is prepared. It
// must never touch a market that it did not create.
import { z } from 'zod';
import { bytesToHex } from '../../auth/hex.ts';
import { keccak256Text } from '../../auth/keccak.ts';
import { fatal } from '../../process/fatal.ts';
import { pipsText } from '../../wire/numbers.ts';
import { type ClientReply, type ExchangeClient, requireSuccess } from './client.ts';
import { Operator } from './operator.ts';

/** A market of the recording as it exists on the exchange. */
export interface ReplayMarket {
  readonly conditionId: string;
  /** Token ids, first outcome first. */
  readonly tokens: readonly [string, string];
}

/** The created markets. */
interface ReplayMarkets {
  /** 1 for the first replay on this exchange. */
  readonly run: number;
  readonly markets: readonly ReplayMarket[];
}

/** The tick of a replay's markets, in pips: recorded prices have three decimals at most. */
export const TICK_PIPS = 10;
const EVENT_SLUG = 'recorded-flow';
const RUNS_MAX = 1_000;

const marketSchema = z.object({
  condition_id: z.string(),
  tokens: z.array(z.object({ token_id: z.string() })).length(2),
});

/** Creates the event of the first run number whose slug is free. */
async function createEvent(operator: Operator): Promise<{ readonly run: number; readonly slug: string }> {
  let refusal: ClientReply | undefined;
  for (let run = 1; run <= RUNS_MAX; run += 1) {
    const slug = run === 1 ? EVENT_SLUG : `${EVENT_SLUG}-${run}`;
    const reply = await operator.post('/admin/events', { slug, title: `Recorded flow, run ${run}` });
    if (reply.status === 200) return { run, slug };
    refusal = reply;
    if (reply.status !== 400 && reply.status !== 409) break;
  }
  fatal('usage', `The exchange made no event: ${refusal?.status} ${JSON.stringify(refusal?.body ?? '')}.`);
}

/** The body of POST /admin/markets; `ids` holds the recorded ids, or the question id from which the exchange derives them. */
function marketBody(event: string, number: number, ids: Readonly<Record<string, unknown>>) {
  const slug = `${event}-market-${number}`;
  return {
    event,
    slug,
    question: `Recorded market ${number}`,
    outcomes: ['First', 'Second'],
    tick_size: pipsText(TICK_PIPS),
    min_order_size: '0.01',
    min_marketable_buy: '0',
    ...ids,
  };
}

async function createMarket(
  operator: Operator,
  event: { readonly run: number; readonly slug: string },
  number: number,
  tokens: readonly [string, string],
): Promise<ReplayMarket> {
  const recorded = { condition_id: bytesToHex(keccak256Text(tokens.join())), token_ids: tokens };
  const derived = { question_id: bytesToHex(keccak256Text(`${event.slug} market ${number}`)) };
  let reply: ClientReply | undefined;
  if (event.run === 1) reply = await operator.post('/admin/markets', marketBody(event.slug, number, recorded));
  if (reply?.status !== 200) reply = await operator.post('/admin/markets', marketBody(event.slug, number, derived));
  const market = marketSchema.parse(requireSuccess(reply, `market ${number}`));
  return { conditionId: market.condition_id, tokens: [market.tokens[0].token_id, market.tokens[1].token_id] };
}

/** Creates an event and one market for each pair of recorded tokens. @throws FatalError if the exchange refuses */
export async function createMarkets(
  client: ExchangeClient,
  adminToken: string,
  tokens: readonly (readonly [string, string])[],
): Promise<ReplayMarkets> {
  const operator = new Operator(client, adminToken);
  const event = await createEvent(operator);
  const markets: ReplayMarket[] = [];
  for (const [number, pair] of tokens.entries()) markets.push(await createMarket(operator, event, number, pair));
  return { run: event.run, markets };
}
