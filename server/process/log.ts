// The server's one logger: JSON lines on standard error, or readable lines in development. Created at start-up. It never
// writes to standard output, which belongs to the banner, and is never given a secret. A line that cannot be written is
// dropped and counted, which is not an error: an exchange keeps running when the disk that holds its log is full.
import { writeSync } from 'node:fs';
import { type LevelWithSilent, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';

const STANDARD_ERROR = 2;

/** Writes some of the bytes and returns their number; throws the system's error. */
type WriteBytes = (bytes: Uint8Array) => number;

const toStandardError: WriteBytes = (bytes) => writeSync(STANDARD_ERROR, bytes);

/** Writes lines. After a partly written line, the next one starts on a new line. */
class LineWriter {
  private readonly writeBytes: WriteBytes;
  /** Whether the last line was written only in part. */
  private isCut = false;
  private droppedCount = 0;

  constructor(writeBytes: WriteBytes) {
    this.writeBytes = writeBytes;
  }

  /** Number of lines dropped since the last call. */
  takeDropped(): number {
    const count = this.droppedCount;
    this.droppedCount = 0;
    return count;
  }

  /** Writes a line; returns whether it was written. */
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

/** What the configuration says about the log. */
interface LogSettings {
  readonly logLevel: LevelWithSilent;
  readonly mode: 'development' | 'production';
  readonly isJson: boolean;
}

/**
 * The logger of a configuration.
 * @param writeBytes writes to standard error by default
 */
export function makeLogger(config: LogSettings, writeBytes = toStandardError): Logger {
  const isReadable = config.mode === 'development' && !config.isJson;
  const readable = prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' });
  const lines = new LineWriter(writeBytes);
  const write = (line: string): void => {
    if (!lines.write(isReadable ? readable(line) : line)) return;
    const lostCount = lines.takeDropped();
    if (lostCount > 0) logger.error({ lostCount }, 'Some log lines could not be written.');
  };
  const logger = pino({ level: config.logLevel }, { write });
  return logger;
}
