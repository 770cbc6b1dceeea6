// The door of the core: the exchange itself. Its parts are for the core's own files, and for benches of single parts.
export { type BookLevel, Exchange } from './exchange.ts';
