// Makes and unpacks the tiny journals that represent each released format: a data directory with commands of every kind,
// its journal compressed. Run once for a new format (node test/journal/fixture.ts writes fixtures/format-N.mdb.gz). A
// released fixture is never made again, because it has to be what that release wrote.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DATA_FORMAT, openExchange, VirtualClock } from '../../engine/index.ts';
import { START_MS, settings, submitFounding, submitRounds } from '../pipeline/workload.ts';

const folder = join(import.meta.dirname, 'fixtures');
const fileOf = (format: number): string => join(folder, `format-${format}.mdb.gz`);

/** Unpacks the data directory of a released format into a folder. */
export function unpackFixture(format: number, dataDir: string): void {
  mkdirSync(join(dataDir, 'journal'), { recursive: true });
  writeFileSync(join(dataDir, 'format.json'), `${JSON.stringify({ format })}\n`);
  writeFileSync(join(dataDir, 'journal', 'data.mdb'), gunzipSync(readFileSync(fileOf(format))));
}

async function makeFixture(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'outcry-fixture-'));
  const clock = new VirtualClock(START_MS);
  const exchange = await openExchange({ dataDir, clock, settings, followers: [] });
  await submitFounding(exchange);
  await submitRounds(exchange, clock, 2, { rounds: 12, commandsEach: 25, stepMs: 400 });
  await exchange.close();
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(DATA_FORMAT), gzipSync(readFileSync(join(dataDir, 'journal', 'data.mdb')), { level: 9 }));
  rmSync(dataDir, { recursive: true });
}

if (import.meta.main === true || process.argv[1] === import.meta.filename) await makeFixture();
