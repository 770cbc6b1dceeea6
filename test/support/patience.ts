// How long a test waits for an event that must come: nearly as long as a test may take, so that a busy machine never
// decides and a failure names what was waited for. Used with vi.waitFor, vi.waitUntil and expect.poll, whose default
// timeout is a second.

export const PATIENCE = { timeout: 240_000, interval: 20 } as const;
