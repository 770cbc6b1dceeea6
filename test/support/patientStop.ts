// Loaded into server processes that tests start: an orderly stop may take as long as a busy machine needs for it, as long as
// the test itself would wait. Where a stop is held up on purpose, the process is started without this.
import { stopLimit } from '../../server/process/stopLimit.ts';
import { PATIENCE } from './patience.ts';

stopLimit.ms = PATIENCE.timeout;
