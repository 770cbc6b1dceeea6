// A configuration file as the JSON that it holds. Called by settings.ts. What is wrong with one is told by its place and never by
// its text, which may hold tokens: V8 shows a piece of the text in some of its sentences, and tells the place only in the others.
import { readFileSync } from 'node:fs';
import { codeOf } from '../engine/index.ts';
import { fatal } from './fatal.ts';

const WHAT_IS_WRONG: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a folder of its path is a file',
  EISDIR: 'is a folder',
  EACCES: 'may not be read by the user that runs this program',
};

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    return fatal('usage', `The configuration file ${path} ${WHAT_IS_WRONG[code] ?? `cannot be read (${code})`}.`);
  }
}

const TOKEN =
  /\s*([[\]{},:]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")\s*/uy;
const VALUE_COMES = new Set(['', '[', ',', ':']);
const NO_VALUE = new Set([']', '}', ',', ':']);

/** Where a text has something else than the value that comes there, or what no JSON has: its index. */
function strayIndex(text: string): number {
  let previous = '';
  for (let index = 0; ; index = TOKEN.lastIndex) {
    TOKEN.lastIndex = index;
    const token = TOKEN.exec(text)?.[1];
    const isStray = token !== undefined && VALUE_COMES.has(previous) && NO_VALUE.has(token);
    if (token === undefined || (isStray && previous + token !== '[]')) {
      return index + (/^\s*/.exec(text.slice(index))?.[0].length ?? 0);
    }
    previous = token;
  }
}

/** Where a text stops being JSON, as people find it: line and column. */
function placeOf(text: string, { message }: Error): string {
  const told = /\bposition (\d+)/.exec(message);
  const index = told === null ? strayIndex(text) : Number(told[1]);
  if (index >= text.length) return 'it ends too soon';
  const before = text.slice(0, index).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The JSON that a file holds. @throws FatalError (usage) with a sentence that shows nothing of the file */
export function readJsonFile(path: string): unknown {
  const text = textOf(path).replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fatal('usage', `The configuration file ${path} is not JSON: ${placeOf(text, error)}.`);
  }
}
