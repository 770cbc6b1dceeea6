// The input and output of an endpoint, as schemas: the column `schema` of the endpoint table. /openapi.json is built from
// them, and the tests check every request served and every reply against that document. Values in path and query are texts
// on the wire; a schema gives the type that they stand for (a whole number, true or false, one of some words).
import type { z } from 'zod';

/** Schemas of parameters by name; optional parameters have optional schemas. */
export type ParameterSchemas = Readonly<Record<string, z.ZodType>>;

export interface EndpointSchema {
  /** The `{name}` parts of the path: texts unless a schema is given. */
  readonly path?: ParameterSchemas;
  /** An array schema means that the parameter may be repeated; one value with commas is a text. */
  readonly query?: ParameterSchemas;
  /** Request headers that this endpoint reads in addition to credentials. */
  readonly headers?: ParameterSchemas;
  /**
   * The JSON body as it is sent; absent if none is read, and for a GET, whose body no browser sends. An optional schema means
   * that a body may be omitted.
   */
  readonly body?: z.ZodType;
  /** The JSON of a reply with status 200. */
  readonly reply: z.ZodType;
  /** Content type of that reply if it is not JSON; its schema is then ignored. */
  readonly replyType?: string;
  /** The JSON of a 4xx reply, if it is more than an object with `error`. */
  readonly refusal?: z.ZodType;
  /** Statuses of refusals in addition to those of all endpoints of its kind. */
  readonly moreStatuses?: readonly number[];
}
