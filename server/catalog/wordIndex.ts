// MiniSearch with a cache of each word's document list. By itself it looks a word up in its tree again for every document that
// has it, which is half the cost of indexing a large catalog. It also takes a document out of its words' lists at once, as
// MiniSearch does only for one that is given whole. Used by search.ts; its results are those of MiniSearch.
import MiniSearch, { type Options } from 'minisearch';

/** For each field, how often each document has a word. */
type WordDocuments = Map<number, Map<number, number>>;

export class WordIndex<Document> extends MiniSearch<Document> {
  private readonly known = new Map<string, WordDocuments>();

  constructor(options: Options<Document>) {
    super({ ...options, autoVacuum: false }); // nothing is left behind
    const { _index: tree, known } = this;
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

  /**
   * Removes a document. `discard` would leave it in the lists of its words until a search meets it there, and that search would
   * count it when it ranks the others: its order would not be that of the next, nor of its own further pages.
   * @param words all that it may be listed under
   */
  removeFrom(id: unknown, words: Iterable<string>): void {
    const document = this._idToShortId.get(id);
    if (document !== undefined) for (const word of words) this.unlist(document, word);
    this.discard(id);
  }

  private unlist(document: number, word: string): void {
    const documents = this.known.get(word);
    if (documents === undefined) return;
    for (const [field, counts] of documents) if (counts.delete(document) && counts.size === 0) documents.delete(field);
    if (documents.size === 0) this._index.delete(word);
  }
}
