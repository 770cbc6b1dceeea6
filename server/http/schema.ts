// What an endpoint takes and answers, as schemas: the column `schema` of the endpoint table. /openapi.json is made of it,
// and the tests hold every request that was served and every reply against that document. Values of path and query are
// texts on the wire; a schema says what they stand for (a whole number, true or false, one of some words).
import type { z } from 'zod';

/** Schemas of parameters by name; those that may be left out are optional schemas. */
export type ParameterSchemas = Readonly<Record<string, z.ZodType>>;

export interface EndpointSchema {
  /** The `{name}` parts of the path: texts unless a schema is given. */
  readonly path?: ParameterSchemas;
  /** A list schema means that the parameter may be repeated; one value with commas is a text. */
  readonly query?: ParameterSchemas;
  /** Request headers that this endpoint reads, besides those of credentials. */
  readonly headers?: ParameterSchemas;
  /** The JSON body as it is sent; absent where none is read. An optional schema means that none is needed. */
  readonly body?: z.ZodType;
  /** The JSON of a reply with status 200. */
  readonly reply: z.ZodType;
  /** Content type of that reply, where it is no JSON; its schema is then not looked at. */
  readonly replyType?: string;
  /** The JSON of a 4xx reply, where it is more than an object with `error`. */
  readonly refusal?: z.ZodType;
  /** Statuses of refusals beyond those that every endpoint of its kind has. */
  readonly moreStatuses?: readonly number[];
}
