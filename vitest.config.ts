// How the tests run: called by vitest alone. Each file gets a process of its own (native modules, sockets, signals),
// two at a time. Limits of time are generous, because timing never decides a test.
import { defineConfig } from 'vitest/config';

const recordedData = process.env.OUTCRY_RECORDED_DATA;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/openApiSetup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    env: recordedData === undefined ? {} : { OUTCRY_RECORDED_DATA: recordedData },
  },
});
