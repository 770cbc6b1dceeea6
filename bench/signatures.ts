// Part b: verified orders a second (digest, recover and comparison, as POST /order does them) beside bare recovers a second
// of the same native library, in the same process, in turns. Parsing the body and the HMAC of the request are reported
// separately. Called by main.ts.
import { median, spread } from './lib/statistics.ts';
import { figure, floorText, type Report, spreadText, table } from './lib/table.ts';
import { askParts, type PartName, type PartTimes, startParts } from './parts/question.ts';

const FLOOR = 0.85;
const PARTS = ['recover', 'verify', 'parse', 'hmac'] as const satisfies readonly PartName[];
const SLICES_A_ROUND = 15;

interface SignaturesOptions {
  readonly rounds: number;
  readonly onProgress: (text: string) => void;
}

/** Measures every part in turns, many times a round; the first round warms up and is not counted. */
export async function benchSignatures({ rounds, onProgress }: SignaturesOptions): Promise<Report> {
  const child = startParts();
  const measured: PartTimes[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      onProgress(round === 0 ? 'signatures: warming up' : `signatures: round ${round} of ${rounds}`);
      const times = await askParts(child, PARTS, SLICES_A_ROUND);
      if (round > 0) measured.push(times);
    }
  } finally {
    child.end();
  }
  const microseconds = (part: PartName) => spread(measured.map((times) => median(times[part]) / 1000));
  const ratio = spread(
    measured.map(({ recover, verify }) => median(recover.map((nanoseconds, slice) => nanoseconds / verify[slice]))),
  );
  const names: Readonly<Record<(typeof PARTS)[number], string>> = {
    recover: 'bare native recover',
    verify: 'verified order (digest, recover, comparison)',
    parse: 'parse of the JSON body',
    hmac: 'HMAC of the request',
  };
  const rows = PARTS.map((part) => {
    const times = microseconds(part);
    return [names[part], spreadText(times, 1), figure(1e6 / times.median)];
  });
  return {
    title: `b. Signatures: medians of ${rounds} rounds (least to greatest)`,
    lines: [
      ...table(['step', 'µs', 'a second'], rows),
      floorText('verified orders / bare recovers', FLOOR, '', ratio, 3),
    ],
    figures: { microseconds: Object.fromEntries(PARTS.map((part) => [part, microseconds(part)])), ratio },
    faults: [],
  };
}
