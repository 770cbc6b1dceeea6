// Reads a configuration file as JSON. Called by settings.ts. Errors state the place and never the text, which may contain
// tokens: V8 quotes part of the text in some of its messages, and states the position only in the others.
import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../../engine/index.ts';
import { fatal } from '../process/fatal.ts';

const WHAT_IS_WRONG: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a folder of its path is a file',
  EISDIR: 'is a folder',
  EACCES: 'is not readable by the user that runs this program',
};

/** More than any real file has. Without a limit, an endless device would consume all memory. */
const BYTES_MAX = 1_048_576;

/** The content of a file or pipe to its end, or up to one byte beyond the limit. */
function readBytes(path: string): Buffer {
  const bytes = Buffer.alloc(BYTES_MAX + 1);
  const file = openSync(path, 'r');
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function bytesOf(path: string): Buffer {
  try {
    return readBytes(path);
  } catch (error) {
    const code = codeOf(error);
    const isLink = code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const what = isLink ? 'is a link to a file that does not exist' : WHAT_IS_WRONG[code];
    return fatal('usage', `The configuration file ${path} ${what ?? `cannot be read (${code})`}.`);
  }
}

/** The text of a file without a byte order mark. */
function textOf(path: string): string {
  const bytes = bytesOf(path);
  if (bytes.length > BYTES_MAX) fatal('usage', `The configuration file ${path} is larger than ${BYTES_MAX} bytes.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return fatal('usage', `The configuration file ${path} is not UTF-8 text.`);
  }
}

const TOKEN =
  /\s*([[\]{},:]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")\s*/uy;
const VALUE_COMES = new Set(['', '[', ',', ':']);
const NO_VALUE = new Set([']', '}', ',', ':']);

/** The index of the first token that is out of place, or of the first text that is no JSON token. */
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

/** The place at which a text stops being JSON, as line and column. */
function placeOf(text: string, { message }: Error): string {
  const position = /\bposition (\d+)/.exec(message);
  const index = position === null ? strayIndex(text) : Number(position[1]);
  return index >= text.length ? 'it ends prematurely' : lineAndColumn(text, index);
}

function lineAndColumn(text: string, index: number): string {
  const before = text.slice(0, index).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

const KEY_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:]/gu;

/** The keys of an object or array that is open at some place: those so far, and the latest; an array has none. */
interface OpenKeys {
  readonly keys: Set<string>;
  latest: string | undefined;
}

/** Ends with a sentence if valid JSON repeats a key of an object, since JSON.parse would take the last value. */
function requireUniqueKeys(path: string, text: string): void {
  const open: OpenKeys[] = [];
  let previous = { 0: '', index: 0 };
  for (const match of text.matchAll(KEY_OR_BRACKET)) {
    const [token] = match;
    const inner = open.at(-1);
    if (token === '{' || token === '[') open.push({ keys: new Set(), latest: undefined });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && inner !== undefined) {
      const key: string = JSON.parse(previous[0]); // the token before a colon is a key
      inner.latest = key;
      if (inner.keys.has(key)) {
        const name = open.flatMap(({ latest }) => latest ?? []).join('.');
        fatal(
          'usage',
          `The configuration file ${path} contains ${name} twice: ${lineAndColumn(text, previous.index)}.`,
        );
      }
      inner.keys.add(key);
    }
    previous = match;
  }
}

/** The JSON in a file. @throws FatalError (usage) with a sentence that shows no value of the file */
export function readJsonFile(path: string): unknown {
  const text = textOf(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fatal('usage', `The configuration file ${path} is not JSON: ${placeOf(text, error)}.`);
  }
  requireUniqueKeys(path, text);
  return value;
}
