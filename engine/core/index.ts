// The door of the core: the exchange itself. Its parts are for the core's own files, and for benches of single parts;
// nobody else may reach in, so that results depend on commands alone.
export { type BookLevel, Exchange } from './exchange.ts';
export { AHEAD_MAX } from './state.ts';
