// The names of the two dialects, apart from what they do (dialect.ts): all that a question needs which crosses to the
// historian's thread.

/** `root`: root paths, with SERVICE_* headers or none. `polymarket`: POLY_* headers, and the mounts for official clients. */
export type DialectName = 'root' | 'polymarket';
