// What development does once in the life of a journal: plants the seed catalog, credits the ten wallets. Called by
// start.ts before the server listens, and by cli.ts before an import that needs no server. The credits come last, so
// that their absence tells of a first start cut off.
import type { Services } from '../services.ts';
import { plantSeed, readSeed, type SeedCatalog } from './seed.ts';
import { creditCommand, developmentWallets } from './wallets.ts';

/** Whether the journal holds nothing yet, or a beginning of this catalog, without the credits that end a first start. */
function wasCutOff({ views }: Services, seed: SeedCatalog, lastWallet: string): boolean {
  if (views.accounts.byWallet(lastWallet) !== undefined) return false;
  return views.markets.eventList().length === 0 || views.markets.eventBySlug(seed.events[0].slug) !== undefined;
}

/** Plants and credits on a fresh journal, and finishes what an interrupted first start left undone. */
export async function firstStart(services: Services): Promise<void> {
  const { exchange, views, wallets } = services;
  const seed = readSeed();
  const owners = developmentWallets(wallets).map(({ address }) => address);
  if (!exchange.isFresh && !wasCutOff(services, seed, owners[owners.length - 1])) return;
  const firstMs = views.markets.eventByNumber(1)?.createdMs ?? exchange.now();
  await plantSeed(exchange, views, seed, firstMs);
  const uncredited = owners.filter((owner) => views.accounts.byWallet(owner) === undefined);
  await Promise.all(uncredited.map((owner) => exchange.submit(creditCommand(owner, wallets))));
}
