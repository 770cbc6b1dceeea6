// A core that returns the events of each command as objects, for tests of the core that compare or name single events. The
// comparison with the reference has a faster one of its own (test/model/pair.ts).
import { Exchange } from '../../engine/core/index.ts';
import {
  type Command,
  decodeEvents,
  type EngineEvent,
  EventWriter,
  encodeCommand,
} from '../../engine/protocol/index.ts';

export class DecodingCore {
  readonly exchange = new Exchange();
  private readonly writer = new EventWriter();

  /** Applies a command at a time (ms) and returns its events. */
  apply(tMs: number, command: Command): EngineEvent[] {
    this.writer.begin();
    this.exchange.apply(tMs, encodeCommand(command), this.writer);
    this.writer.finish();
    return decodeEvents(this.writer.bytes.subarray(0, this.writer.length));
  }
}
