// The helper thread of recoverers.ts: claims jobs of the ring, recovers their signers, writes the addresses back, and
// sleeps while there are none, until it is told to end. It knows nothing about orders, and imports one file of the engine, not
// its door, which would load all of it.
import { workerData } from 'node:worker_threads';
import { writeHex } from '../../engine/protocol/bytes.ts';
import { nameThread } from '../process/thread.ts';
import { RecoveryRing } from './recoveryRing.ts';
import { recoverAddress } from './secp256k1.ts';

const ring = new RecoveryRing(workerData as SharedArrayBuffer); // passed by recoverers.ts
const digest = new Uint8Array(32);
const signature = new Uint8Array(65);
const address = new Uint8Array(20);

function work(): void {
  while (!ring.isOver) {
    const { callCount } = ring;
    for (let ticket = ring.claim(); ticket !== undefined; ticket = ring.claim()) {
      ring.read(ticket, digest, signature);
      const signer = recoverAddress(digest, signature);
      if (signer === undefined) address.fill(0);
      else writeHex(signer, address, 0, address.length);
      ring.answer(ticket, address);
    }
    ring.sleep(callCount);
  }
}

nameThread('recovery');
setImmediate(work);
