// Where the core can be changed, and how: for every line of engine/core that has a place for one of the operators, one small
// change of its code, drawn from all that it has a place for. Used by main.ts and worker.ts, which must agree on the
// numbering. It reads the sources with their types blanked out, which keeps positions those of the files.
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

export type Operator = 'relation' | 'one' | 'sign' | 'side' | 'dropped' | 'negated';

export interface Mutant {
  readonly id: number;
  /** File name within engine/core, and line from 1. */
  readonly file: string;
  readonly line: number;
  readonly operator: Operator;
  /** Offset in the source of the text `from`, which becomes `to`. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  /** The unchanged line, trimmed, and where in it `from` begins. */
  readonly text: string;
  readonly column: number;
}

export const coreFolder = join(import.meta.dirname, '..', '..', 'engine', 'core');

/** The source of a core file as JavaScript, with nothing but its types blanked out. */
export function strippedSource(file: string): string {
  return stripTypeScriptTypes(readFileSync(join(coreFolder, file), 'utf8'));
}

/** Blanks out comments and strings, so that nothing in them is changed. */
function codeOnly(source: string): string {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
  return source.replaceAll(token, blank);
}

const relations: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<=': '<',
  '>=': '>',
  '<': '<=',
  '>': '>=',
  '&&': '||',
  '||': '&&',
};
const sides: readonly (readonly [string, string])[] = [
  ['BID', 'ASK'],
  ['BUY', 'SELL'],
  ['bestBid', 'bestAsk'],
  ['MINT', 'MERGE'],
  ['FIRST', 'SECOND'],
  ['MINED', 'CONFIRMED'],
  ['GTD', 'FAK'],
  ['FOK', 'FAK'],
  ['OPEN', 'PAUSED'],
  ['min', 'max'],
  ['true', 'false'],
];
const sideOf = new Map<string, string>(sides.flatMap(([x, y]) => [[y, x] as const, [x, y] as const]));
/** Names that are only swapped after this prefix: `min` alone is no function. */
const onlyAfter: Readonly<Record<string, string>> = { min: 'Math.', max: 'Math.' };

type Change = Pick<Mutant, 'operator' | 'at' | 'from' | 'to'>;

function changesOfLine(code: string, start: number): Change[] {
  const changes: Change[] = [];
  const add = (operator: Operator, at: number, from: string, to: string): void => {
    changes.push({ operator, at: start + at, from, to });
  };
  for (const { index, 0: operator } of code.matchAll(/===|!==|<=|>=|&&|\|\||(?<![<=>])[<>](?![<=>])/g)) {
    // Arrows, shifts and type arguments are no relations.
    if (code[index - 1] !== '=' && /\s/.test(code[index - 1] ?? ''))
      add('relation', index, operator, relations[operator]);
  }
  for (const { index, 0: digits } of code.matchAll(/(?<![\w.$])(?:0x[\da-f]+|\d[\d_]*)(?![\w.])/g)) {
    const number = Number(digits.replaceAll('_', ''));
    add('one', index, digits, String(number + 1));
    // A step of nothing would loop endlessly, which takes a minute to notice.
    const isStep = /[+-]= $/.test(code.slice(0, index));
    if (!isStep) add('one', index, digits, number === 0 ? '(-1)' : String(number - 1));
  }
  for (const { index, 1: sign } of code.matchAll(/(?<=[\w)\]] )([+-])(?==? )/g)) {
    add('sign', index, sign, sign === '+' ? '-' : '+');
  }
  for (const { index, 0: word } of code.matchAll(/(?<![\w$])[A-Za-z]\w*(?!\w*\s*[:(]\s*(?:null|$))/g)) {
    const other = sideOf.get(word);
    const needed = onlyAfter[word];
    if (other === undefined) continue;
    if (needed !== undefined && !code.slice(0, index).endsWith(needed)) continue;
    if (/^\s*const\b/.test(code) && index < code.indexOf('=')) continue;
    add('side', index, word, other);
  }
  const condition = conditionOf(code);
  if (condition !== undefined) add('negated', condition.at, condition.text, `(!${condition.text})`);
  const statement =
    /^\s*(?:if \(.*\) )?((?:this\.|state\.|[a-z]\w*)[\w.[\]?]*(?:\(.*\)|(?:\[.*\])? (?:[-+*/|&^]|<<|>>>?)?= .*|\+\+|--);)\s*$/.exec(
      code,
    );
  const isField = /^ {2}[a-z]\w* = /.test(code);
  if (statement !== null && !isField && !/^(?:return|throw|const|let|break|continue)\b/.test(statement[1])) {
    add('dropped', code.indexOf(statement[1]), statement[1], ';');
  }
  return changes;
}

/** The condition of an `if` that ends on its line, parentheses included. */
function conditionOf(code: string): { readonly at: number; readonly text: string } | undefined {
  const at = code.search(/\bif \(/) + 3;
  if (at < 3) return undefined;
  let depth = 0;
  for (let end = at; end < code.length; end += 1) {
    if (code[end] === '(') depth += 1;
    if (code[end] === ')') depth -= 1;
    if (depth === 0) return { at, text: code.slice(at, end + 1) };
  }
  return undefined;
}

/** A number derived from a text, always the same. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

/** Whether a line has no code of its own: an import, an interface, the end of a block. */
function hasNoCode(code: string): boolean {
  return /^\s*(?:import\b|export \{|\} from|[\])}];?,?$|export interface|interface|$)/.test(code);
}

/** One mutant for each line that has a place for one, or all with `isEvery`. Numbered from 0. */
export function mutantsOf(files: readonly string[], isEvery: boolean): Mutant[] {
  const mutants: Mutant[] = [];
  for (const file of files) {
    const source = strippedSource(file);
    const code = codeOnly(source);
    let start = 0;
    for (const [index, line] of code.split('\n').entries()) {
      const text = source.slice(start, start + line.length).trim();
      const textAt = source.indexOf(text, start);
      const changes = hasNoCode(line) ? [] : changesOfLine(line, start);
      const drawn = isEvery || changes.length === 0 ? changes : [changes[hashOf(`${file}${text}`) % changes.length]];
      for (const change of drawn) {
        const column = change.at - textAt;
        mutants.push({ id: mutants.length, file, line: index + 1, text, column, ...change });
      }
      start += line.length + 1;
    }
  }
  return mutants;
}

export const coreFiles: readonly string[] = readdirSync(coreFolder)
  .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  .sort();
