// The public interface of the core: the exchange itself. Its parts are for the core's own files and for benches of single
// parts. Nothing else may import them: results must depend on commands alone.
export { type BookLevel, Exchange } from './exchange.ts';
export { AHEAD_MAX } from './state.ts';
