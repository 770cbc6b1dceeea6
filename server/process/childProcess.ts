// Shared by all our child processes: they report to their parent, and end when it does. Called in the children themselves
// (snapshots/makerChild.ts, tools/journalChild.ts), and by their parents to say how one ended.

/** How a process ended, from its 'exit' event: with a status or by a signal. */
export function howEnded(status: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `with status ${status}` : `by ${signal}`;
}

/** Sends a message to the parent. Does nothing once the parent has ended: writing to a closed channel is an error. */
export function tellParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** Makes the process end as soon as its parent does, also if the parent ended while this process was loading. */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
}

/** Closes the channel to the parent once everything is reported; an open channel would keep the process alive. */
export function leaveParent(): void {
  process.removeAllListeners('disconnect');
  if (process.connected) process.disconnect();
}
