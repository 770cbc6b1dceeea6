// The process that makes a snapshot: a second exchange without a door, which follows the journal with the same reducers and
// followers as the one that writes it. Started by snapshotMaker.ts with one argument, its task as JSON; it says in messages
// what came of it, and ends at once when the exchange does.
import { constants, setPriority } from 'node:os';
import { type Log, makeSnapshot, reasonOf } from '../../engine/index.ts';
import { Catalog } from '../catalog/index.ts';
import { StreamFeed } from '../streams/feed.ts';
import { Views } from '../views/index.ts';
import type { MakerNews, MakerTask } from './snapshotMaker.ts';

/** Whoever is gone is told nothing: saying it to a channel that is closed would be an error. */
const tell = (news: MakerNews): void => {
  if (process.connected) process.send?.(news, undefined, undefined, () => {});
};

process.once('disconnect', () => process.exit());
if (!process.connected) process.exit(); // the exchange went while this was loaded
try {
  setPriority(constants.priority.PRIORITY_LOW);
  const { dataDir, recordsMin }: MakerTask = JSON.parse(process.argv[2]);
  const startedMs = performance.now();
  const views = new Views();
  new Catalog(views); // it observes the views, and has its part in their snapshots
  const followers = [...views.followers(), ...new StreamFeed(views).followers()];
  const log: Log = (_, text, figures = {}) => tell({ kind: 'log', text, figures });
  const sequence = await makeSnapshot(dataDir, followers, { log, recordsMin });
  tell({ kind: 'made', sequence, ms: Math.round(performance.now() - startedMs) });
} catch (error) {
  tell({ kind: 'failed', reason: reasonOf(error) });
}
process.removeAllListeners('disconnect');
if (process.connected) process.disconnect();
