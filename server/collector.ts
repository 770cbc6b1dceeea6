// The setting of V8's garbage collector that the server runs with. Called by main.ts before anything else. It must never
// change what code does, only when memory is given back.
import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from collecting the whole heap whenever the process seems idle, to give memory back: an exchange that answers now
 * and then always seems idle, and with a large catalog each of these collections holds up its next answers by milliseconds.
 * The heap is still collected whenever it has grown.
 */
export function tuneCollector(): void {
  setFlagsFromString('--no-memory-reducer');
}
