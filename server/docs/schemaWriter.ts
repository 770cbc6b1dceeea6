// Turns the schemas of the interface into JSON schemas, for /openapi.json and /asyncapi.json. A named schema appears once, in
// the components of its document, and everything else references it.
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

interface Conversion {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: Record<string, unknown>;
}

/**
 * Removes patterns that only repeat the format beside them, and restores the examples of transforming schemas: zod omits
 * them, since they might be of the output; ours are of what clients send.
 */
function tidySchema({ zodSchema, jsonSchema }: Conversion): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined && jsonSchema.$ref === undefined) jsonSchema.examples = examples;
}

/** Rewrites references to a schema's own definitions as references to the document's. */
function withDocumentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDocumentRefs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === '$ref' && typeof inner === 'string')
        return [key, inner.replace(/^#\/(\$defs|definitions)\//, '#/components/schemas/')];
      return [key, withDocumentRefs(inner)];
    }),
  );
}

/** Builds the JSON schemas of one document and collects the named ones. */
export class SchemaWriter {
  private readonly target: 'draft-2020-12' | 'draft-07';
  readonly named: Record<string, JsonSchema> = {};
  /** Caches: the same schema appears in many places, a refusal in all. */
  private readonly written = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  /** @param target the version of JSON Schema that readers of the document apply */
  constructor(target: 'draft-2020-12' | 'draft-07') {
    this.target = target;
  }

  /** @param io `input` for what clients send, before it is parsed; `output` for what they receive */
  write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const known = this.written[io].get(schema);
    if (known !== undefined) return known;
    const written = z.toJSONSchema(schema, { target: this.target, io, override: tidySchema });
    const { $schema: _version, $defs, definitions = $defs, ...own } = written;
    for (const [name, definition] of Object.entries(definitions ?? {}))
      this.keep(name, withDocumentRefs(definition) as JsonSchema); // objects stay such
    const made = withDocumentRefs(own) as JsonSchema; // objects stay such
    this.written[io].set(schema, made);
    return made;
  }

  private keep(name: string, definition: JsonSchema): void {
    const { id: _id, ...named } = definition;
    const known = this.named[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(named)) {
      throw new Error(`two schemas of a document have the name ${name}; give one another id`);
    }
    this.named[name] = named;
  }
}
