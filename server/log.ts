// The one logger of the server: JSON lines on standard error, or readable lines in development. Made at start-up. It
// never writes to standard output, which belongs to the banner, and nobody hands it a secret.
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { ServerConfig } from './config.ts';

const STANDARD_ERROR = 2;

/** The logger of a configuration. */
export function makeLogger(config: Pick<ServerConfig, 'logLevel' | 'mode' | 'isJson'>): Logger {
  const isReadable = config.mode === 'development' && !config.isJson;
  const stream = isReadable
    ? pretty({ destination: STANDARD_ERROR, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' })
    : pino.destination({ dest: STANDARD_ERROR, sync: true });
  return pino({ level: config.logLevel }, stream);
}
