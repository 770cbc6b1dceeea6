// A catalog at scale as lines for `outcry import`: the recorded one of 164,709 real markets where its folder is known
// (OUTCRY_RECORDED_DATA), else one of the same size and shape generated from a seed. Used by the catalog bench and its
// tests. Recorded rows name only markets: those of one game or question become one event, and ids are hashes of slugs.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SeededRandom } from '../lib/seededRandom.ts';

interface CatalogRow {
  readonly slug: string;
  readonly question: string;
  readonly category: string;
  /** 1, 0, or '' while the market is open. */
  readonly yes: string;
}

const ROWS = 164_709;
const RECORDED_FILE = 'dinesh-catalog/markets.csv.gz';

/** Splits a CSV line into its fields; a doubled quote inside quotes stands for one quote. */
function fieldsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  const fields = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? [];
  return fields.map((field) => field.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"'));
}

/** The recorded rows; undefined where the recorded data is absent. */
export function recordedRows(): readonly CatalogRow[] | undefined {
  const folder = process.env.OUTCRY_RECORDED_DATA;
  const file = folder === undefined ? undefined : join(folder, RECORDED_FILE);
  if (file === undefined || !existsSync(file)) return undefined;
  const [, ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  return lines.map((line) => {
    const [slug, question, category, yes] = fieldsOf(line);
    return { slug, question, category, yes };
  });
}

const SYLLABLES =
  'ba be bo ca co da de di do fa fi ga go ha jo ka ki la le li lo ma mi mo na no pa pe ra ri ro sa se si';

/** Rows of the same number and shape, generated from a seed. */
export function generatedRows(count = ROWS): readonly CatalogRow[] {
  const random = new SeededRandom(1);
  const next = (): number => random.word() >>> 0;
  const syllables = SYLLABLES.split(' ');
  const name = (): string => {
    const text = Array.from({ length: 2 + (next() % 3) }, () => syllables[next() % syllables.length]).join('');
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
  const teams = Array.from({ length: 3_000 }, name);
  const rows: CatalogRow[] = [];
  for (let game = 0; rows.length < count; game += 1) {
    const [home, away] = [teams[next() % teams.length], teams[next() % teams.length]];
    const day = `2026-0${1 + (next() % 9)}-${10 + (next() % 18)}`;
    const yes = next() % 6 === 0 ? '' : String(next() % 2);
    for (let line = 0; line < 1 + (next() % 12) && rows.length < count; line += 1) {
      const question =
        line === 0 ? `Who wins, ${home} vs ${away}?` : `Does ${name()} score ${line} in ${home} vs ${away}?`;
      rows.push({
        slug: `atc-g${game}-${home}-${away}-${day}-l${line}`.toLowerCase(),
        question,
        category: 'sports',
        yes,
      });
    }
  }
  return rows;
}

/** The slug of a market's game or question: the market's slug up to and including the date, without the kind of market. */
function eventSlugOf(slug: string): string {
  const dated = /^[a-z0-9]+-(.*?\d{4}-\d{2}-\d{2})/.exec(slug);
  return dated?.[1] ?? slug.split('-').slice(1, -1).join('-');
}

const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`;

/** The import lines of these rows. Slugs that the interface refuses are left out. */
export function linesOf(rows: readonly CatalogRow[]): string[] {
  const tags = new Set(rows.map(({ category }) => category));
  const lines = [...tags].map((slug) =>
    JSON.stringify({ kind: 'tag', slug, label: slug.charAt(0).toUpperCase() + slug.slice(1) }),
  );
  const events = new Set<string>();
  for (const { slug, question, category, yes } of rows) {
    const event = `e-${eventSlugOf(slug)}`;
    if (!events.has(event)) {
      events.add(event);
      lines.push(JSON.stringify({ kind: 'event', slug: event, title: question, tags: [category] }));
    }
    const date = /\d{4}-\d{2}-\d{2}/.exec(slug)?.[0];
    const conditionId = hashOf(slug);
    const market = {
      kind: 'market',
      slug,
      question,
      event,
      condition_id: conditionId,
      token_ids: [BigInt(hashOf(`${slug}/1`)).toString(), BigInt(hashOf(`${slug}/2`)).toString()],
      ...(date !== undefined && !Number.isNaN(Date.parse(date)) && { end_date: `${date}T23:59:59Z` }),
      ...(yes !== '' && { winner: yes === '1' ? 'Yes' : 'No' }),
    };
    lines.push(JSON.stringify(market));
  }
  return lines;
}
