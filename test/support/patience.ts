// How long a test waits for what must come: nearly as long as a test may take, so that a busy machine never decides and what
// failed is told by what was waited for. Used with vi.waitFor, vi.waitUntil and expect.poll, whose own patience is a second.

export const PATIENCE = { timeout: 240_000, interval: 20 } as const;
