// Checks whether a port is free, and finds the process that holds it if not. Called by app.ts before it listens, since
// uWebSockets silently shares a taken port. It only asks the system; the port is released again before this returns.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

/** The process listening on a port. */
interface PortHolder {
  readonly pid: number;
  /** Its program and script, shortened; without arguments, which may be secrets. */
  readonly command: string;
}

const LISTENING = '0A';
const COMMAND_CHARACTERS_MAX = 160;
const SCRIPT = /^[^-].*\.[cm]?[jt]s$/;

/** The system's error code for binding the address, such as EADDRINUSE; undefined if it is free. Port 0 is any port of it. */
export async function bindErrorOf(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function listeningInodes(port: number): ReadonlySet<string> {
  const inodes = new Set<string>();
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    let lines: readonly string[];
    try {
      lines = readFileSync(table, 'utf8').split('\n').slice(1);
    } catch {
      continue;
    }
    for (const line of lines) {
      const columns = line.trim().split(/\s+/);
      if (columns[3] === LISTENING && columns[1].endsWith(`:${wanted}`)) inodes.add(`socket:[${columns[9]}]`);
    }
  }
  return inodes;
}

function hasDescriptor(pid: string, inodes: ReadonlySet<string>): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((descriptor) => {
      try {
        return inodes.has(readlinkSync(`${folder}/${descriptor}`));
      } catch {
        return false; // closed in the meantime
      }
    });
  } catch {
    return false; // another user's process, or one that has ended
  }
}

/** The process listening on the port, if the system reveals it (Linux, processes of the same user); undefined otherwise. */
export function portHolder(port: number): PortHolder | undefined {
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return undefined;
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && hasDescriptor(name, inodes));
  if (pid === undefined) return undefined;
  let command = '';
  try {
    const [program, ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    // A word after an option may be its value.
    const script = words.find((word, index) => SCRIPT.test(word) && !words[index - 1]?.startsWith('-'));
    command = script === undefined ? program : `${program} ${script}`;
  } catch {
    // The process has ended since; its pid still helps.
  }
  return { pid: Number(pid), command: command.slice(0, COMMAND_CHARACTERS_MAX) };
}
