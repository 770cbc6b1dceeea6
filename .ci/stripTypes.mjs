// Strips the types of .ts files and keeps the text that is left in node_modules, so that a start strips only what has changed:
// stripping takes longer than all else that it does to load a module. It is done by a process of its own. Node's stripper is
// WebAssembly, and in a process where its memory has grown V8 checks at each access to a typed array whether its memory
// was taken away: up to a third of the engine's time. Given to Node as --import (nodeOptions.mjs).
// It must never change what a file does: it answers with the same stripper's text.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kept = join(root, 'node_modules', '.outcry-stripped');
const STRIP = '--strip';
const TEXT_BYTES_MAX = 64 * 1024 * 1024;

const digestOf = (text) => createHash('sha256').update(text).digest('hex');
const keptFileOf = (path) => join(kept, digestOf(path));
/** What the kept text begins with when it is that of this source. */
const headOf = (source) => `${digestOf(process.version + source)}\n`;

/** Whether a file is of this repository: of others nothing is kept, since they may come and go under any name. */
const isOurs = (path) => !relative(root, path).startsWith('..');

/** The kept text of a file with this source, undefined when there is none. */
function keptOf(path, source) {
  try {
    const text = fs.readFileSync(keptFileOf(path), 'utf8');
    const head = headOf(source);
    return text.startsWith(head) ? text.slice(head.length) : undefined;
  } catch {
    return undefined;
  }
}

/** The stripped text of a file, which is kept where that is possible: the folder may not be ours to write to. */
function strip(path) {
  const source = fs.readFileSync(path, 'utf8');
  const known = keptOf(path, source);
  if (known !== undefined) return known;
  const text = stripTypeScriptTypes(source);
  if (!isOurs(path)) return text;
  const draft = `${keptFileOf(path)}.${process.pid}`;
  try {
    fs.mkdirSync(kept, { recursive: true });
    fs.writeFileSync(draft, headOf(source) + text);
    fs.renameSync(draft, keptFileOf(path)); // whole or not at all, whoever else does the same
  } catch {
    if (fs.existsSync(draft)) fs.rmSync(draft);
  }
  return text;
}

/** A file's neighbours in its room of this repository, which are wanted next as a rule. */
function roomOf(path) {
  const [room, ...rest] = relative(root, path).split(sep);
  if (!isOurs(path) || rest.length === 0) return [];
  const names = fs.readdirSync(join(root, room), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(root, room, name));
}

/** In a process of its own: prints the stripped text of a file, then sees to its room. */
function stripRoom(path) {
  process.stdout.write(strip(path));
  for (const other of roomOf(path)) {
    try {
      strip(other);
    } catch {
      // Whoever wants that file will hear what is wrong with it.
    }
  }
}

/** The stripped text of a file, by a process of its own. @throws when it cannot be stripped: that process has said why */
function strippedOf(path) {
  const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), STRIP, path];
  try {
    return execFileSync(process.execPath, args, {
      encoding: 'utf8',
      maxBuffer: TEXT_BYTES_MAX,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } catch (error) {
    throw new SyntaxError(`The types of ${path} cannot be stripped.`, { cause: error });
  }
}

/** Node's hook: the source of a module. */
function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const path = fileURLToPath(url);
  const source = keptOf(path, fs.readFileSync(path, 'utf8')) ?? strippedOf(path);
  return { format: 'module', source, shortCircuit: true };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === STRIP) stripRoom(process.argv[3]);
else registerHooks({ load });
