// The one logger of the server: JSON lines on standard error, or readable lines in development. Made at start-up. It never writes
// to standard output, which belongs to the banner, and is never given a secret. A line that cannot be written is dropped and
// counted, and is no error: an exchange goes on when the disk that holds its log is full.
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { ServerConfig } from '../config/config.ts';

const STANDARD_ERROR = 2;

/** Writes some of these bytes and returns how many; throws what the system says. */
type WriteBytes = (bytes: Uint8Array) => number;

const toStandardError: WriteBytes = (bytes) => writeSync(STANDARD_ERROR, bytes);

/** Writes lines. After a line that was cut off in the middle, the next one begins on a new line. */
class LineWriter {
  private readonly writeBytes: WriteBytes;
  /** The last line was written in part. */
  private isCut = false;
  private droppedCount = 0;

  constructor(writeBytes: WriteBytes) {
    this.writeBytes = writeBytes;
  }

  /** How many lines were dropped since the last call. */
  takeDropped(): number {
    const count = this.droppedCount;
    this.droppedCount = 0;
    return count;
  }

  /** Returns whether the line was written. */
  write(line: string): boolean {
    const bytes = Buffer.from(this.isCut ? `\n${line}` : line);
    try {
      for (let done = 0; done < bytes.length; ) {
        done += this.writeBytes(bytes.subarray(done));
        this.isCut = done < bytes.length;
      }
      return true;
    } catch {
      this.droppedCount += 1;
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
  const lines = new LineWriter(writeBytes);
  const write = (line: string): void => {
    if (!lines.write(isReadable ? readable(line) : line)) return;
    const lostCount = lines.takeDropped();
    if (lostCount > 0) logger.error({ lostCount }, 'Lines of the log could not be written.');
  };
  const logger = pino({ level: config.logLevel }, { write });
  return logger;
}
