// What development does once in a journal's life: plants the seed catalog and credits the ten wallets. Called by start.ts
// before the server listens, and by cli.ts before an import without a server. The credits come last, so their absence shows
// that a first start was interrupted.
import type { Services } from '../services.ts';
import { plantSeed, readSeed, type SeedCatalog } from './seed.ts';
import { creditCommand, developmentWallets } from './wallets.ts';

/** Whether the journal is empty or begins with this catalog, and lacks the credits that complete a first start. */
function wasInterrupted({ views }: Services, seed: SeedCatalog, lastWallet: string): boolean {
  if (views.accounts.byWallet(lastWallet) !== undefined) return false;
  return views.markets.eventList().length === 0 || views.markets.eventBySlug(seed.events[0].slug) !== undefined;
}

/** Plants and credits on a fresh journal, and completes an interrupted first start. */
export async function firstStart(services: Services): Promise<void> {
  const { exchange, views, wallets } = services;
  const seed = readSeed();
  const owners = developmentWallets(wallets).map(({ address }) => address);
  if (!exchange.isFresh && !wasInterrupted(services, seed, owners[owners.length - 1])) return;
  const firstMs = views.markets.eventByNumber(1)?.createdMs ?? exchange.now();
  await plantSeed(services, seed, firstMs);
  const uncredited = owners.filter((owner) => views.accounts.byWallet(owner) === undefined);
  await Promise.all(uncredited.map((owner) => exchange.submit(creditCommand(owner, wallets))));
}
