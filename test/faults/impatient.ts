// Loaded with --import into a server process whose disk is to hang: a flush that begins while it hangs is given up at the
// watchdog's second check. One that begins earlier takes as long as it needs, so that a slow machine changes nothing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FlushWatchdog } from '../../engine/journal/flushWatchdog.ts';

const { write } = FlushWatchdog.prototype;
FlushWatchdog.prototype.write = function (this: FlushWatchdog, ...args: Parameters<FlushWatchdog['write']>) {
  if (existsSync(join(process.env.SHIM_FOLDER ?? '', 'shim-hang'))) Object.assign(this, { flushMsMax: 1 });
  return write.apply(this, args);
};
