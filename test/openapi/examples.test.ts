// The examples in the document: the field accepts or answers each one, in its unit; examples in refusals are accepted; and
// no sentence refers to a text that readers do not have.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../server/http/endpoints.ts';
import { openApiDocument } from '../support/openApiDocument.ts';

// As programs parse it.
const document = JSON.parse(JSON.stringify(openApiDocument(endpoints)));

interface Found {
  readonly where: string;
  readonly value: unknown;
}

/** Every value of the document, with its path. */
function* valuesOf(value: unknown, where = ''): Generator<Found> {
  yield { where, value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* valuesOf(inner, `${where}/${key}`);
}

const schemasWithExamples = [...valuesOf(document)].filter(
  ({ value }) => typeof value === 'object' && value !== null && 'examples' in value && Array.isArray(value.examples),
);

test('every example is valid under its own schema', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  expect(schemasWithExamples.length).toBeGreaterThan(100);
  const faults = schemasWithExamples.flatMap(({ where, value }) => {
    // An object with examples, by the filter above.
    const { examples, ...schema } = value as { examples: readonly unknown[] };
    const validate = ajv.compile({ ...schema, components: document.components });
    return examples.filter((example) => !validate(example)).map((example) => `${where}: ${JSON.stringify(example)}`);
  });
  expect(faults).toEqual([]);
});

interface Field {
  readonly where: string;
  readonly schema: z.ZodType;
}

/** A schema and those of the keys and rows below it, unwrapped from optional, nullable and transformed. */
function* fieldsOf(schema: z.ZodType, where: string): Generator<Field> {
  yield { where, schema };
  let inner: unknown = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  if (inner instanceof z.ZodPipe) inner = inner.in;
  if (inner instanceof z.ZodObject) {
    for (const [key, field] of Object.entries(inner.shape)) yield* fieldsOf(field, `${where}.${key}`);
  } else if (inner instanceof z.ZodArray) {
    yield* fieldsOf(inner.element as z.ZodType, `${where}[]`); // the element of a classic array
  } else if (inner instanceof z.ZodUnion) {
    for (const option of inner.options) yield* fieldsOf(option as z.ZodType, where); // options of a classic union
  }
}

const requestFields = endpoints.flatMap(({ method, path, schema: { body, query, path: parts, headers } }) => {
  const parameters = Object.entries({ ...parts, ...query, ...headers });
  return [
    ...(body === undefined ? [] : fieldsOf(body, `${method} ${path}`)),
    ...parameters.flatMap(([name, schema]) => [...fieldsOf(schema, `${method} ${path}?${name}`)]),
  ];
});

/** The examples of a schema, or of the schemas that it is made of. */
function examplesOf(schema: z.ZodType): readonly unknown[] {
  const { examples } = schema.meta() ?? {};
  if (Array.isArray(examples)) return examples;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return examplesOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return examplesOf(schema.in as z.ZodType);
  return schema instanceof z.ZodUnion ? examplesOf(schema.options[0] as z.ZodType) : [];
}

test('every request field accepts its own examples', () => {
  let count = 0;
  const refused = requestFields.flatMap(({ where, schema }) =>
    examplesOf(schema).flatMap((example) => {
      count += 1;
      const { error } = schema.safeParse(example);
      return error === undefined ? [] : [`${where}: ${JSON.stringify(example)}: ${error.issues[0].message}`];
    }),
  );
  expect(count).toBeGreaterThan(100);
  expect(refused).toEqual([]);
});

test('every request body has exactly one complete example, which is accepted', () => {
  const bodies = endpoints.flatMap(({ method, path, schema: { body } }) => (body ? [{ method, path, body }] : []));
  expect(bodies.length).toBeGreaterThan(20);
  for (const { method, path, body } of bodies) {
    const shown = document.paths[path][method.toLowerCase()].requestBody.content['application/json'].schema;
    const { examples } = shown.$ref === undefined ? shown : document.components.schemas[shown.$ref.split('/').at(-1)];
    expect([method, path, examples?.length]).toEqual([method, path, 1]);
    expect([method, path, body.safeParse(examples[0]).error]).toEqual([method, path, undefined]);
  }
});

/** Values that few fields accept: the refusals say what would be accepted. */
const STRANGE = [null, true, 0, -1, 0.5, '', ' ', '-1', '0', 'x', '1e999', '9'.repeat(99), [], [0], {}, { x: 0 }];

test('every example named in an error message is accepted by the field that it is about', () => {
  const named = new Map<string, string>();
  const refused: string[] = [];
  for (const { where, schema } of requestFields) {
    for (const strange of STRANGE) {
      for (const { message, path } of schema.safeParse(strange).error?.issues ?? []) {
        if (path.length > 0) continue; // a refusal of a nested field
        const [, example] = /such as "?([^\s",]+)"?/.exec(message) ?? [];
        if (example === undefined) continue;
        named.set(message, example);
        if (!schema.safeParse(example).success) refused.push(`${where}: ${message}`);
      }
    }
  }
  expect(named.size).toBeGreaterThan(4);
  expect([...new Set(refused)]).toEqual([]);
});

test('no text in the document refers to sections that readers do not have', () => {
  const found = [...valuesOf(document)].filter(
    ({ value }) =>
      typeof value === 'string' && /\bsection\b|\.md\b|\b(wire|interface|data) ([A-H]\.)?[0-9]/i.test(value),
  );
  expect(found).toEqual([]);
});

test('every security scheme has a description', () => {
  const schemes: Record<string, { description?: string }> = document.components.securitySchemes;
  const silent = Object.entries(schemes).filter(([, { description = '' }]) => description.length < 10);
  expect(silent.map(([name]) => name)).toEqual([]);
});
