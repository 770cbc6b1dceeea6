// Parses Prometheus' text exposition format 0.0.4 strictly: a violation of the format, or of Prometheus' rules for names
// and histograms, throws with the line. Used by the tests of metrics; it shares no code with the writer of the text.

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const COMMENT = /^# (HELP|TYPE) ([a-z_][a-z0-9_]*) (.+)$/;
const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (-?[0-9][0-9.e+-]*|[+-]Inf|NaN)$/;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(,|$)/y;
const UNITS = /_(ms|millis|milliseconds|micros|us|kb|mb|minutes|percent|pips|micro)(_|$)/;

function fail(line: string, why: string): never {
  throw new Error(`${why}: ${line}`);
}

function labelsOf(text: string | undefined, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  if (text === undefined) return labels;
  LABEL.lastIndex = 0;
  for (let at = 0; at < text.length; at = LABEL.lastIndex) {
    const found = LABEL.exec(text);
    if (found === null) fail(line, 'malformed labels');
    if (Object.hasOwn(labels, found[1])) fail(line, 'a duplicate label');
    labels[found[1]] = found[2];
  }
  return labels;
}

const numberOf = (text: string): number => (/Inf$/.test(text) ? Number(`${text}inity`) : Number(text));

function checkHistogram({ name, samples }: Family): void {
  const bySeries = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _le, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    bySeries.set(key, [...(bySeries.get(key) ?? []), sample]);
  }
  for (const [key, series] of bySeries) {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => numberOf(labels.le));
    const counts = buckets.map(({ value }) => value);
    const isRising = (values: readonly number[], isStrict: boolean): boolean =>
      values.every(
        (value, index) => index === 0 || (isStrict ? value > values[index - 1] : value >= values[index - 1]),
      );
    if (!isRising(bounds, true) || bounds.at(-1) !== Number.POSITIVE_INFINITY)
      fail(key, `the bounds of ${name} do not rise to +Inf`);
    if (!isRising(counts, false)) fail(key, `the buckets of ${name} are not cumulative`);
    const count = series.find((sample) => sample.name === `${name}_count`)?.value;
    if (count !== counts.at(-1)) fail(key, `${name} has the count ${count}, but ${counts.at(-1)} in its last bucket`);
    if (!series.some((sample) => sample.name === `${name}_sum`)) fail(key, `${name} has no sum`);
  }
}

function checkFamily(family: Family): void {
  const { name, type, help, samples } = family;
  if (help === '' || type === '') fail(name, 'no HELP or TYPE');
  if (!name.startsWith('outcry_')) fail(name, 'no outcry_ prefix');
  if (UNITS.test(name)) fail(name, 'not in a base unit');
  if (name.endsWith('_total') !== (type === 'counter')) fail(name, '_total belongs to counters, and to all of them');
  const series = samples.map((sample) => `${sample.name}${JSON.stringify(sample.labels)}`);
  if (new Set(series).size !== series.length) fail(name, 'a duplicate series');
  if (type === 'histogram') checkHistogram(family);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) fail(name, 'a counter below 0');
}

/** The families in a text, by name. Throws on violations. */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { name: string; help: string; type: string; samples: Sample[] }>();
  let present = { name: '', help: '', type: '', samples: [] as Sample[] };
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const comment = COMMENT.exec(line);
    if (comment !== null) {
      const [, kind, name, rest] = comment;
      if (kind === 'HELP') {
        if (families.has(name)) fail(line, 'a duplicate HELP');
        present = { name, help: rest, type: '', samples: [] };
        families.set(name, present);
      } else if (name !== present.name || !/^(counter|gauge|histogram)$/.test(rest))
        fail(line, 'a TYPE of another or no family');
      else present.type = rest;
      continue;
    }
    const sample = SAMPLE.exec(line);
    if (sample === null) fail(line, 'neither a comment nor a sample');
    const [, name, labels, value] = sample;
    const isOwn = present.type === 'histogram' ? /_(bucket|sum|count)$/.test(name) : name === present.name;
    if (!name.startsWith(present.name) || !isOwn) fail(line, `a sample of another name than ${present.name}`);
    present.samples.push({ name, labels: labelsOf(labels, line), value: numberOf(value) });
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}
