// The public interface of the registry: the reducer that the pipeline runs beside the core, and the reader of text tails, which
// the pipeline's check of incoming commands shares.
export { Registry, textsOf } from './registry.ts';
