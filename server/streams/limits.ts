// The limits of sockets and streams, each with its unit and reason. Read by the sockets' checks, their error texts and the
// AsyncAPI document. Limits that an operator or a test may set are in config/streamSettings.ts; the others are fixed here. A
// limit of one structure alone stands beside that structure.

export const streamLimits = {
  /** Longest message of a client; the ids of all tokens that a socket may follow take two thirds of it. */
  messageBytesMax: 262_144,
  /** uWebSockets cuts off a connection without a reason above this; a message between the two limits gets a reason. */
  payloadBytesMax: 1_048_576,
  /** How many tokens, or markets of the user channel, one socket may follow. */
  subscriptionsMax: 2_000,
  /**
   * How many messages a client may send at once, and how many more each second; the burst allows one per token followed. As many
   * pings and pongs: uWebSockets reads half a megabyte of them in a turn, which are tens of thousands.
   */
  messagesBurst: 2_100,
  messagesPerSecond: 20,
  /**
   * Bytes that may wait in memory for one socket, once the operating system's own buffers are full: what is paced, and then one
   * whole flush, since on a network those buffers may begin with less than 90 kB.
   */
  backpressureBytesMax: 294_912,
  /** Message bytes that one flush may send to a socket. More is owed instead. */
  burstBytesMax: 262_144,
  /**
   * Characters of owners' live messages that one flush renders, over all sockets, some milliseconds of work: a trade has a message
   * of megabytes if it has thousands of makers. The other sockets are owed theirs.
   */
  liveCharactersMax: 1_048_576,
  /** New markets that one flush may send, since each is rendered in it, within burstBytesMax. More are owed instead. */
  newMarketsMax: 64,
  /** How often some clients are pinged to check that they read, ms. */
  pingEveryMs: 50,
  /** Most pings at a time, which makes 2,000 a second however many sockets are open. Opening a socket adds one ping. */
  pingsPerBeatMax: 100,
  /** A lap of pings over all clients takes this long, ms, and longer if there are too many of them. */
  pingLapMs: 1_000,
  /** Snapshots and replays wait while a socket has more than this buffered, bytes. */
  pacedBytesMax: 16_384,
  /** A frame of a dump is sent once its books exceed this, bytes. */
  dumpFrameBytes: 65_536,
  /** Messages that a replay renders at a time, to keep others from waiting for it. */
  replayStep: 48,
  /** No further change is rendered with them above this, bytes: what a full socket does not take is rendered again. */
  replayBytes: 65_536,
  /** How long the dumps and replays of all sockets together may take of one event-loop turn, ms; one step may overrun it. */
  payTurnMsMax: 4,
} as const;

if (streamLimits.pacedBytesMax * 2 + streamLimits.burstBytesMax > streamLimits.backpressureBytesMax) {
  throw new Error('stream limits: a paced frame and a whole flush must find room before a socket counts as too slow');
}
