// Starts of an exchange that must be refused: on a log that is damaged, and while the clock is far behind the log. Used by
// simulation.ts between two lives of its exchange; none of them leaves a trace on the disk.
import { ClockBehindJournal, type ExchangeOptions, JournalDamaged, openExchange } from '../../engine/index.ts';
import { fail } from './audit.ts';
import { damageDisk } from './damage.ts';
import { type Disk, FaultyStore } from './disk.ts';
import type { Damage } from './steps.ts';

/** Starts on a disk. Returns the error with which that ends; undefined if the exchange starts, which is then closed. */
async function refusalOf(options: ExchangeOptions, disk: Disk): Promise<unknown> {
  try {
    const exchange = await openExchange(options, { store: new FaultyStore(disk) });
    await exchange.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Checks that a damaged log is refused, with the first corrupt record named. The damage is done to a copy of the disk. Returns
 * whether it was possible.
 */
export async function checkDamagedStart(options: ExchangeOptions, disk: Disk, damage: Damage): Promise<boolean> {
  const damaged = damageDisk(disk, damage);
  if (damaged === undefined) return false;
  const { sequence } = damaged;
  const refusal = await refusalOf({ ...options, acceptClock: true }, damaged.disk);
  if (refusal === undefined) fail(`a ${damage.kind} is found`, { sequence });
  if (!(refusal instanceof JournalDamaged)) throw refusal;
  const found = refusal.sequence;
  if (found !== sequence) fail(`a ${damage.kind} is found where it is`, { sequence, found });
  return true;
}

/** Checks that a start is refused because the clock is far behind the log. */
export async function checkStartFarBehind(options: ExchangeOptions, disk: Disk): Promise<void> {
  const refusal = await refusalOf(options, disk);
  if (refusal === undefined) fail('a start is refused while the clock is far behind the log');
  if (!(refusal instanceof ClockBehindJournal)) throw refusal;
}
