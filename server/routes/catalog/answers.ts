// What the answers of the catalog have in common: how they are given the query, the catalog and the views, and how a
// handler is made of one. Used by catalog.ts and labels.ts.
import type { Catalog } from '../../catalog/index.ts';
import type { Context, Handler, HttpRequest, Reply, ReplySteps } from '../../http/endpoint.ts';
import { inSteps } from '../../http/rowsReply.ts';
import { parseWhole } from '../../lib/decimals.ts';
import type { Views } from '../../views/index.ts';
import type { CatalogDialect } from '../../wire/catalogDialects.ts';
import { QueryReader, wholeFrom } from '../../wire/catalogQuery.ts';
import type { Pieces } from '../../wire/pieces.ts';

/** The variable parts of the request's path. */
export type Params = HttpRequest['params'];

/** Renders the JSON of a reply. */
export type Answer = (reader: QueryReader, catalog: Catalog, views: Views, params: Params) => Reply['body'];

/** Appends the JSON of a reply that may be long; yields before each row. */
export type LongAnswer = (...parameters: Parameters<Answer>) => Generator<undefined, Pieces>;

/** A handler that brings the catalog up to date and then answers from it. */
export function answering(dialect: CatalogDialect, answer: Answer): Handler {
  return ({ query, params }: HttpRequest, { services: { catalog, views, exchange } }: Context): Reply => {
    catalog.settle(exchange.now());
    return { body: answer(new QueryReader(query, dialect), catalog, views, params) };
  };
}

/** The same in steps, with the catalog brought up to date in each. They may wait for long, so they hold no request. */
export function answeringInSteps(dialect: CatalogDialect, answer: LongAnswer): Handler {
  return ({ query, params }: HttpRequest, { services: { catalog, views, exchange } }: Context): ReplySteps => {
    const reader = new QueryReader(query, dialect);
    const settle = (): void => catalog.settle(exchange.now());
    function* reply(): ReplySteps {
      settle();
      return { body: yield* inSteps(answer(reader, catalog, views, params), settle) };
    }
    return reply();
  };
}
/** The number in a path. @throws BadRequest if it is not a whole number, or too large for one that a record can have */
export function numberOf({ dialect }: QueryReader, id: string): number {
  const number = parseWhole(id);
  if (number === undefined) throw dialect.invalid('id', wholeFrom(0));
  return number;
}
