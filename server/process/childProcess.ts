// What every child process of ours does alike: it reports to its parent, and ends when the parent does. Called in the children
// themselves (snapshots/makerChild.ts, tools/journalChild.ts).

/** Sends a message to the parent; does nothing once the parent is gone, since writing to a closed channel would be an error. */
export function tellParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** From now on the process ends at once when its parent does, also if the parent ended while this process was loading. */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
}

/** Closes the channel to the parent when everything is reported: the channel alone would keep the process alive. */
export function leaveParent(): void {
  process.removeAllListeners('disconnect');
  if (process.connected) process.disconnect();
}
