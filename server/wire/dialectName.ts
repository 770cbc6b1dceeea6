// The names of the two dialects, separate from their functions (dialect.ts): a query that crosses to the historian's thread
// carries only the name.

/** `root`: root paths, with SERVICE_* headers or none. `polymarket`: POLY_* headers, and the mounts for official clients. */
export type DialectName = 'root' | 'polymarket';
