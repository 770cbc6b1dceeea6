// The one logger of the server: JSON lines on standard error, or readable lines in development. Made at start-up. It never writes
// to standard output, which belongs to the banner, and nobody hands it a secret. A line that cannot be written is lost and
// counted, never an error: the disk that is full may be the one that the log lies on, and an exchange goes on without it.
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { ServerConfig } from '../config/config.ts';

const STANDARD_ERROR = 2;

/** Writes some of these bytes and returns how many; throws what the system says. */
type WriteBytes = (bytes: Uint8Array) => number;

const toStandardError: WriteBytes = (bytes) => writeSync(STANDARD_ERROR, bytes);

/** Lines on their way out, whole or not at all. */
class Lines {
  private readonly writeBytes: WriteBytes;
  /** The last line that was begun has no end. */
  private isCut = false;
  private lostCount = 0;

  constructor(writeBytes: WriteBytes) {
    this.writeBytes = writeBytes;
  }

  /** How many were lost since this was last asked. */
  takeLost(): number {
    const count = this.lostCount;
    this.lostCount = 0;
    return count;
  }

  /** Whether the line could be written. */
  write(line: string): boolean {
    const bytes = Buffer.from(this.isCut ? `\n${line}` : line);
    try {
      for (let done = 0; done < bytes.length; ) {
        done += this.writeBytes(bytes.subarray(done));
        this.isCut = done < bytes.length;
      }
      return true;
    } catch {
      this.lostCount += 1;
      return false;
    }
  }
}

/**
 * The logger of a configuration.
 * @param writeBytes to standard error unless given
 */
export function makeLogger(
  config: Pick<ServerConfig, 'logLevel' | 'mode' | 'isJson'>,
  writeBytes = toStandardError,
): Logger {
  const isReadable = config.mode === 'development' && !config.isJson;
  const readable = prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' });
  const lines = new Lines(writeBytes);
  const write = (line: string): void => {
    if (!lines.write(isReadable ? readable(line) : line)) return;
    const lostCount = lines.takeLost();
    if (lostCount > 0) logger.error({ lostCount }, 'Lines of the log could not be written.');
  };
  const logger = pino({ level: config.logLevel }, { write });
  return logger;
}
