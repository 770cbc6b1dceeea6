// MiniSearch with a cache of each word's document list. By itself it looks a word up in its tree again for every document that
// has it, which is half the cost of indexing a large catalog. Used by search.ts; its results are those of MiniSearch.
import MiniSearch, { type Options } from 'minisearch';

export class WordIndex<Document> extends MiniSearch<Document> {
  constructor(options: Options<Document>) {
    super(options);
    const { _index: tree } = this;
    const known = new Map<string, ReturnType<typeof tree.fetch>>();
    const [fetch, remove] = [tree.fetch.bind(tree), tree.delete.bind(tree)];
    tree.fetch = (word, initial) => {
      let documents = known.get(word);
      if (documents === undefined) {
        documents = fetch(word, initial);
        known.set(word, documents);
      }
      return documents;
    };
    tree.delete = (word) => {
      known.delete(word);
      remove(word);
    };
  }
}
