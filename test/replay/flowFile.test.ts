// How a recorded flow is parsed: its lines, its files and the sentences for unreadable ones. recordedFlow.test.ts plays the
// whole recording.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FLOW_HEADER, parseFlow, parseFlowLine, readFlow, tokensPathOf } from '../../server/dev/replay/flowFile.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-flow-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tokens = JSON.stringify([
  { market: 1, tokens: ['33', '44'], changes: 2 },
  { market: 0, tokens: ['11', '22'], changes: 7 },
]);
const rows = `${FLOW_HEADER}\n1000,0,+,B,310,198000000,198000000\n1001,1,T,A,525,2083332,1\n`;

test('a change row parses to the full size of its level in lots and its price in pips', () => {
  expect(parseFlowLine('1780795851472,0,+,B,310,198000000,201000000', 2)).toEqual({
    op: '+',
    tMs: 1_780_795_851_472,
    market: 0,
    side: 'B',
    pricePips: 3_100,
    levelLots: 20_100,
  });
  expect(parseFlowLine('1780795857729,1,X,A,890,8000000,0', 3)).toMatchObject({ op: 'X', side: 'A', levelLots: 0 });
});

test('sizes are rounded down to whole lots', () => {
  expect(parseFlowLine('1,0,-,A,5,1,19999', 2)).toMatchObject({ op: '-', pricePips: 50, levelLots: 1 });
  expect(parseFlowLine('1780795854024,3,T,A,520,2083332,1', 2)).toMatchObject({ op: 'T', sizeLots: 208 });
});

test('an invalid line is reported with its line number', () => {
  expect(() => parseFlow(`${FLOW_HEADER}\n1,0,+,B,310,1,1\n1,0,+,C,310,1,1\n`)).toThrow('Line 3 of the flow is not');
  expect(() => parseFlowLine('1,0,+,B,0,1,1', 9)).toThrow('Line 9 of the flow has the price 0');
  expect(() => parseFlow('ts,market\n')).toThrow('The first line of a flow is');
});

test.each(['flow_a.csv', 'flow_b.csv.gz'])('%s is read together with its token file', (name) => {
  const path = join(folder, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(rows) : rows);
  writeFileSync(tokensPathOf(path), tokens);
  const flow = readFlow(path);
  expect(flow.rows).toHaveLength(2);
  expect(flow.tokens).toEqual([
    ['11', '22'],
    ['33', '44'],
  ]);
  expect(readFlow(path, 1).rows).toHaveLength(1);
});

test('missing, unreadable and invalid files give specific error messages', () => {
  const path = join(folder, 'flow_c.csv');
  expect(() => readFlow(path)).toThrow('does not exist');
  expect(() => readFlow(folder)).toThrow(`The flow ${folder} cannot be read (EISDIR).`);
  writeFileSync(path, rows);
  expect(() => readFlow(path)).toThrow('The token file of the flow,');
  writeFileSync(tokensPathOf(path), '[{"market":0,"tokens":["11","22"]}]');
  expect(() => readFlow(path)).toThrow('The flow has a market 1');
  writeFileSync(tokensPathOf(path), '[{"market":0,"tokens":["11"]}]');
  expect(() => readFlow(path)).toThrow('is not usable');
  writeFileSync(path, `${FLOW_HEADER}\n\n`);
  expect(() => readFlow(path)).toThrow(`The flow ${path} has no rows.`);
});
