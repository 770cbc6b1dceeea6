// Damage to a copy of the disk, and the record that it corrupts: a flipped bit, a torn batch, a missing batch. Used by
// simulation.ts. The loss of the whole end of the log is not among them, since no log can notice that.
import { Disk, recordsIn } from './disk.ts';
import type { Damage } from './steps.ts';

/** A damaged copy and its first corrupt record; undefined where this damage is impossible. */
export function damageDisk(disk: Disk, { kind, place, bit }: Damage): { disk: Disk; sequence: number } | undefined {
  const copy = new Disk();
  copy.batches = [...disk.batches];
  const { batches } = copy;
  if (batches.length === 0) return undefined;
  const index = Math.min(Math.floor(place * batches.length), batches.length - 1);
  const batch = batches[index];
  if (kind === 'hole') {
    if (index === batches.length - 1) return undefined;
    batches.splice(index, 1);
    return { disk: copy, sequence: batch.firstSequence };
  }
  const share = place * batches.length - index;
  const at = Math.min(Math.floor(share * batch.bytes.length), batch.bytes.length - 1);
  const record = recordsIn(batch).find(({ end }) => at < end);
  if (record === undefined) throw new Error('damage: no record lies there');
  if (kind === 'tear') {
    if (at === record.start) return undefined;
    batches[index] = { ...batch, bytes: Buffer.from(batch.bytes.subarray(0, at)) };
    return { disk: copy, sequence: record.sequence };
  }
  const bytes = Buffer.from(batch.bytes);
  bytes[at] ^= 1 << bit;
  batches[index] = { ...batch, bytes };
  return { disk: copy, sequence: record.sequence };
}
