// Run by vitest before each test file: from then on every reply of every server in this process is held against
// /openapi.json, and the file fails at its end when one deviated.
import { afterAll } from 'vitest';
import { watchReplies } from './openApiCheck.ts';

const DEVIATIONS_SHOWN = 20;
const deviations = new Set<string>();
watchReplies((text) => deviations.add(text));

afterAll(() => {
  if (deviations.size === 0) return;
  const shown = [...deviations].slice(0, DEVIATIONS_SHOWN).join('\n');
  deviations.clear();
  throw new Error(`Requests or replies deviate from /openapi.json; mend the schema or the code:\n${shown}`);
});
