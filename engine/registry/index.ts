// The door of the registry: the reducer that the pipeline runs beside the core, and the reader of text tails that the
// pipeline's check of incoming commands shares with it.
export { Registry, textsOf } from './registry.ts';
