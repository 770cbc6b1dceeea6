// Every bound of the streams, with its unit and the reason for it. Read by the sockets' checks, their sentences and the
// AsyncAPI document. What an operator or a test may choose is in StreamSettings; the rest is fixed here.

/** What differs between a venue, a laptop and a test. */
export interface StreamSettings {
  /** Sockets that one address may have open. */
  readonly connectionsPerIpMax: number;
  /** A stream with subscribers that was silent for so long says where it stands, ms. */
  readonly heartbeatMs: number;
  /** The longest replay of a market, in changes. */
  readonly changesPerMarketMax: number;
  /** Changes kept for those who resume, over all markets: 128 bytes each, so about that many. */
  readonly changesMax: number;
  /** Messages of owners kept in memory; older ones are read from the log again. */
  readonly userEntriesMax: number;
  /** A socket that neither sends nor answers pings is closed after so long, s; uWebSockets takes 8 at least. */
  readonly idleSecondsMax: number;
  /** A socket of the user channel must name its credentials within so long, ms. */
  readonly authMsMax: number;
  /** A socket that lost a message and reads nothing is cut off after so long, ms. */
  readonly lostMsMax: number;
  /** An answer to a ping that takes no longer is never late, ms; one that takes longer is where others are faster. */
  readonly answerMsMin: number;
  /** A client that answers no ping for so long, at most, is sent nothing until it does: its streams go on from where they were, ms. */
  readonly answerMsMax: number;
}

export const streamSettings: StreamSettings = {
  connectionsPerIpMax: 1_000,
  heartbeatMs: 10_000,
  changesPerMarketMax: 1_024,
  changesMax: 131_072,
  userEntriesMax: 131_072,
  idleSecondsMax: 120,
  authMsMax: 30_000,
  lostMsMax: 10_000,
  answerMsMin: 250,
  answerMsMax: 1_000,
};

export const streamLimits = {
  /** A message of a client: the ids of all tokens that a socket may follow take two thirds of it. */
  messageBytesMax: 262_144,
  /** uWebSockets cuts a connection off above this, without a word; what lies between gets a reason. */
  payloadBytesMax: 1_048_576,
  /** Tokens, or markets of the user channel, that one socket follows. */
  subscriptionsMax: 2_000,
  /** Messages that a socket may send at once, and how many more each second: one a token while it subscribes. */
  messagesBurst: 2_100,
  messagesPerSecond: 20,
  /** What waits in memory for one socket to read it; the system's own buffers come before it. */
  backpressureBytesMax: 32_768,
  /** What one flush may send to a socket at once, bytes of messages: far below what the system's own buffers take. More is owed. */
  burstBytesMax: 262_144,
  /** New markets of one flush that are sent at once: with long texts, about as many bytes. More are owed. */
  newMarketsMax: 64,
  /** Clients are asked by pings whether they read, some every so often, ms. */
  askEveryMs: 50,
  /** So many at a time, at most: two thousand a second, however many sockets are open. Each is asked once more when it opens. */
  asksABeatMax: 100,
  /** A lap over all clients takes so long, ms, and longer where they are too many for that. */
  askAgainMs: 1_000,
  /** Snapshots and replays wait while more than this lies in front of a socket. */
  pacedBytesMax: 16_384,
  /** Books of one frame of a dump, bytes. */
  dumpFrameBytes: 65_536,
  /** A step of a replay is one frame, which takes no more messages once it has so many bytes. */
  replayFrameBytes: 196_608,
  /** Messages that a replay renders at a time, so that nobody else waits for it. */
  replayStep: 48,
  /** What dumps and replays of all sockets together may take of one turn of the loop, ms, a step more at most. */
  payTurnMsMax: 4,
} as const;

if (streamLimits.pacedBytesMax * 2 > streamLimits.backpressureBytesMax) {
  throw new Error('stream limits: a paced frame must find room before a socket counts as too slow');
}
