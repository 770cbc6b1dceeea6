// How the tests run: called by vitest alone. Each file gets a process of its own (native modules, sockets, signals),
// three at a time, since some mostly wait; the longest begin first. Limits of time are generous, because timing never
// decides a test.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const recordedData = process.env.OUTCRY_RECORDED_DATA;

/** Files that take a minute or more, longest first: begun last, they would run alone. */
const LONGEST = [
  'replay/recordedFlow',
  'simulation/simulation',
  'faults/serverFaults',
  'history/recovery',
  'model/model',
  'mutants/mutants',
  'conformance/restarts',
  'history/histories',
  'streams/clients',
  'model/toyWorld',
  'tools/journalTools',
  'faults/crash',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/openApiSetup.ts'],
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 300_000,
    hookTimeout: 180_000,
    env: recordedData === undefined ? {} : { OUTCRY_RECORDED_DATA: recordedData },
  },
});
