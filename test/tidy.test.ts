// The house rules as a test: linter and formatter, type check, and what no tool checks by itself. It reads the files of
// the repository as text and imports none of them. Each failure names the fix.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const linesMax = 800;
const linesNoted = 400;
/** Files that are started themselves and so need no importer. */
const entryPoint = /^server\/main\.ts$|^bench\/[^/]+\.ts$|\.test\.ts$|\.config\.ts$/;

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

function filesUnder(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => file.slice(root.length + 1)).filter((file) => !file.startsWith('bench/results/'));
}

const sources = ['engine', 'server', 'bench', 'test']
  .flatMap(filesUnder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: read(file) }));
const rootFiles = readdirSync(root, { withFileTypes: true }).filter(
  (entry) => entry.isFile() && !/^\.git$|\.log$/.test(entry.name),
);
const texts = [...filesUnder('.ci'), ...filesUnder('data'), ...rootFiles.map((entry) => entry.name)]
  .map((file) => ({ file, text: read(file) }))
  .concat(sources);

/** Expects a tool of node_modules to end with status 0, and shows its output and the fix if it does not. */
function expectToPass(script: string, args: readonly string[], fix: string): void {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const result = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], options);
  expect(result.status, `${result.stdout}${result.stderr}\n${fix}`).toBe(0);
}

/** Expects no line of these files to match, and names file, line and fix of those that do. */
function expectNowhere(pattern: RegExp, files: readonly { file: string; text: string }[], fix: string): void {
  const found = files.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found, fix).toEqual([]);
}

/** The number of text lines in the comment at the head of a file; 0 without one. */
function headerLines(text: string): number {
  const head = /^(?:#!.*\n)?((?:\/\/.*\n)+|\/\*\*[\s\S]*?\*\/)/.exec(text)?.[1] ?? '';
  return head.split('\n').filter((line) => /\w/.test(line)).length;
}

test('the linter and the formatter report nothing', () => {
  const fix = 'Run "npm run format", then mend what is left.';
  expectToPass('@biomejs/biome/bin/biome', ['ci', '--colors=off', '--error-on-warnings', '.'], fix);
});

test('the type checker reports no errors', () => {
  expectToPass('typescript/bin/tsc', ['-p', '.'], 'Mend the types; "npm run types" checks them alone.');
});

test('every file that a comment names exists', () => {
  const files = texts.map(({ file }) => `/${file}`);
  const missing = sources.flatMap(({ file, text }) => {
    const comments = text.match(/^\s*(?:\/\/|\/?\*).*|\s\/\/ .*/gm) ?? [];
    const named = comments.flatMap((line) => line.match(/(?<![\w/.-])(?:[\w.-]+\/)*[\w-]+\.(?:ts|mjs|cpp)\b/g) ?? []);
    return named
      .filter((name) => !files.some((known) => known.endsWith(`/${name.replace(/^(?:\.{1,2}\/)+/, '')}`)))
      .map((name) => `${file}: ${name}`);
  });
  expect(missing, 'Name the file as it is called now.').toEqual([]);
});

test('no two entries of CHANGELOG.md begin alike', () => {
  const entries = Array.from(read('CHANGELOG.md').matchAll(/^- .{58}/gm), ([entry]) => entry);
  expect(entries.length).toBeGreaterThan(100);
  const twice = entries.filter((entry, index) => entries.indexOf(entry) !== index);
  expect(twice, 'Keep the entry that says more; a merge may have left both.').toEqual([]);
});

/** The files of its own folder that a file imports. */
const neighboursOf = (file: string): string[] =>
  Array.from(read(file).matchAll(/from '(\.\/[\w.-]+)'/g), ([, path = '']) => join(dirname(file), path));

test('every command of BUGS.md names files that exist, and tests that stand in them', () => {
  const rows = read('BUGS.md')
    .split('\n')
    .filter((line) => /^\| (?!what was wrong)/.test(line));
  expect(rows.length).toBeGreaterThan(400);
  const wrong = rows.flatMap((row) => {
    const command = /`[^`]*(?:npx vitest|npm) run [^`]*`[^`]*\|$/.exec(row)?.[0];
    if (command === undefined) return [`without a command: ${row}`];
    const files = command.match(/\btest\/[\w./-]+/g) ?? [];
    const missing = files.filter((file) => !existsSync(join(root, file)));
    if (missing.length > 0) return missing.map((file) => `${command}: ${file}`);
    const [, quoted, word] = / -t (?:"([^"]*)"|([^\s`]+))/.exec(command) ?? [];
    const names = (quoted ?? word ?? '').split('\\|');
    // Cases are named in the test's file, or in a neighbour that it imports.
    const text = files
      .flatMap((file) => [file, ...neighboursOf(file)])
      .map(read)
      .join('');
    return names.filter((name) => !text.includes(name)).map((name) => `${command}: ${name}`);
  });
  expect(wrong, 'Name the test as it is called now: vitest passes if it finds none of that name.').toEqual([]);
});

test('git tracks only known files and folders at the top level', () => {
  const known = [
    '.ci',
    '.gitignore',
    'BUGS.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bench',
    'biome.json',
    'data',
  ].concat(['engine', 'package-lock.json', 'package.json', 'server', 'test', 'tsconfig.json', 'vitest.config.ts']);
  const listed = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
  const tops = new Set(
    listed.stdout
      .split('\n')
      .filter(Boolean)
      .map((file) => file.split('/')[0]),
  );
  expect([...tops].filter((name) => !known.includes(name))).toEqual([]);
});

test('every source file starts with a comment of 2 to 6 lines', () => {
  const bare = sources.filter(({ text }) => headerLines(text) < 2 || headerLines(text) > 6).map(({ file }) => file);
  expect(
    bare,
    'Start these files with 2 to 6 comment lines: what lives here, who calls it, what it never does.',
  ).toEqual([]);
});

test('engine and server do not use Math.random', () => {
  const product = sources.filter(({ file }) => !/^(test|bench)\//.test(file));
  expectNowhere(/\bMath\.random\b/, product, 'Use node:crypto, or a generator with a seed.');
});

test('properties with long lists say so in their size', () => {
  const tests = sources.filter(({ file }) => file.startsWith('test/'));
  const unsized =
    /^(?!.*minLength: ([\d_]+), maxLength: \1\b).*\bmaxLength: (?:1[1-9]|[2-9]\d|\d[\d_]{2,})(?!.*\bsize:)/;
  expectNowhere(
    unsized,
    tests,
    "Add size: 'max': fast-check draws at most some ten items without it, whatever the length.",
  );
});

test('every source file is referenced by another one or is an entry point', () => {
  const named = new Set<string>();
  for (const { file, text } of texts.filter((each) => each.file.endsWith('.ts'))) {
    for (const [, path = ''] of text.matchAll(/['"`]([\w./-]+\.ts)['"`]/g)) {
      const isRelative = path.startsWith('.');
      const target = normalize(isRelative ? join(dirname(file), path) : path);
      if (target !== file) named.add(target);
    }
  }
  const unused = sources.map(({ file }) => file).filter((file) => !entryPoint.test(file) && !named.has(file));
  expect(unused, 'Nobody imports these files: import them, or delete them.').toEqual([]);
});

/** The shortest way from a room back to itself, as a text of rooms; undefined if there is none. */
function cycleFrom(start: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of arrows.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, next].join(' → ');
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}

test('rooms of the server import one way', () => {
  // A room is a folder, or a file beside the folders. The table of endpoints stands in the door's room and joins the routes.
  const roomOf = (file: string): string => file.split('/', 2).join('/');
  const arrows = new Map<string, Set<string>>();
  for (const { file, text } of sources.filter((each) => each.file.startsWith('server/'))) {
    if (file === 'server/http/endpoints.ts') continue;
    for (const [, path = ''] of text.matchAll(/'(\.[\w./-]+\.ts)'/g)) {
      const [from, to] = [roomOf(file), roomOf(normalize(join(dirname(file), path)))];
      if (to.startsWith('server/') && to !== from) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  }
  const cycles = [...arrows.keys()].flatMap((room) => cycleFrom(room, arrows) ?? []);
  const shortest = cycles.sort((a, b) => a.split(' ').length - b.split(' ').length).slice(0, 1);
  expect(shortest, 'Move what both rooms use to the lower one, or to a room below both.').toEqual([]);
});

test('no file contains a marker of unfinished work', () => {
  expectNowhere(/\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/, texts, 'Do it now, or take the note out.');
});

test('no file names a package registry or an absolute local path', () => {
  const hosts = /registry[.](?:npmjs|yarnpkg)|npmmirro[r]|deb[.]debian/;
  expectNowhere(hosts, texts, 'Leave the choice of a registry to the settings of npm.');
  expectNowhere(/(?<![\w.])\/(?:work|root|home)\//, texts, 'Use a path relative to the file (import.meta.dirname).');
  const lockFile = texts.filter(({ file }) => file === 'package-lock.json');
  expectNowhere(
    /"resolved"/,
    lockFile,
    'Run "npm install --omit-lockfile-registry-resolved" to write the lock file again.',
  );
});

test('no source file exceeds 800 lines', () => {
  const long = sources.map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }));
  const noted = long.filter(({ lines }) => lines > linesNoted).map(({ file, lines }) => `${file} (${lines})`);
  if (noted.length > 0) console.info(`Files above ${linesNoted} lines: ${noted.join(', ')}.`);
  expect(
    long.filter(({ lines }) => lines > linesMax),
    `Split these files by subject: the limit is ${linesMax} lines.`,
  ).toEqual([]);
});
