// What each process that the exchange or a command starts beside itself does alike: it tells its starter how it goes, and ends
// with it. Called in those processes themselves (snapshots/makerChild.ts, tools/journalChild.ts).

/** Sends a message. A starter that is gone is told nothing: saying it to a channel that is closed would be an error. */
export function tellStarter(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** From now on the process ends at once when its starter does; also where that went while the process was loaded. */
export function endWithStarter(): void {
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
}

/** All is told: closes the channel, which alone would keep the process alive. */
export function leaveStarter(): void {
  process.removeAllListeners('disconnect');
  if (process.connected) process.disconnect();
}
