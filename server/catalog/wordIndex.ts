// MiniSearch that remembers where each word's list of documents is. By itself it looks a word up in its tree for every document
// that has it, which is half of what indexing a large catalog costs. Used by search.ts; it finds what MiniSearch finds.
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
