// Checks the requests and replies of a server against its own /openapi.json: every reply must match the document for its
// status, and every request that is served must match it too. Subscribed to the door's channel in each test file's process
// (openApiSetup.ts) and in each server process that tests start (openApiProbe.ts).

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument, Operation, Parameter } from '../../server/docs/openApi.ts';
import type { JsonSchema } from '../../server/docs/schemaWriter.ts';
import type { Answered } from '../../server/http/answered.ts';
import type { Endpoint, HttpRequest } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { bytesOfBody } from '../../server/http/replyBody.ts';
import { openApiDocument } from './openApiDocument.ts';

const options = { strict: false, allErrors: false, validateSchema: false } as const;

/** The document of the real endpoint table, with each schema compiled to a function when it is first needed. */
class Contract {
  private readonly document: OpenApiDocument;
  private readonly ajv = new Ajv2020(options);
  private readonly compiled = new Map<JsonSchema, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    addFormats.default(this.ajv);
  }

  operation(path: string, method: string): Operation {
    return this.document.paths[path][method.toLowerCase()];
  }

  /** What is wrong with a value, or undefined. */
  fault(schema: JsonSchema, value: unknown): string | undefined {
    let validate = this.compiled.get(schema);
    if (validate === undefined) {
      validate = this.ajv.compile({ ...schema, components: this.document.components });
      this.compiled.set(schema, validate);
    }
    if (validate(value)) return undefined;
    const text = JSON.stringify(value);
    return `${this.ajv.errorsText(validate.errors)} (${text.length > 600 ? `${text.slice(0, 600)}…` : text})`;
  }
}

let contract: Contract | undefined;
const known = new Set(endpoints);

/**
 * The value that a parameter's text stands for: numbers are decimals, with digits on either side of the point; true and
 * false may be in any letter case, and so may words where the description says so. A text that stands for no value stays a
 * string, which a number schema refuses.
 */
function valueOfText({ schema: { type, enum: words }, description = '' }: Parameter, text: string): unknown {
  if (type === 'integer') return /^-?[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text;
  if (type === 'number') return /^-?(?=\.?[0-9])[0-9]*(\.[0-9]*)?(e[+-]?[0-9]+)?$/i.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    const word = text.toLowerCase();
    const acceptsDigits = description.includes('or 1 or 0');
    if (word === 'true' || (acceptsDigits && word === '1')) return true;
    return word === 'false' || (acceptsDigits && word === '0') ? false : text;
  }
  return Array.isArray(words) && description.includes('Case-insensitive') ? text.toUpperCase() : text;
}

function faultOfParameters(checks: Contract, operation: Operation, request: HttpRequest): string | undefined {
  for (const parameter of operation.parameters) {
    const { name, in: place, required, schema } = parameter;
    const isList = schema.type === 'array';
    const given =
      place === 'path'
        ? request.params[name]
        : place === 'header'
          ? request.header(name.toLowerCase())
          : isList
            ? request.query.getAll(name)
            : (request.query.get(name) ?? '');
    if (given === undefined || given.length === 0) {
      if (required) return `the ${place} parameter ${name} is required, and it was served without`;
      continue;
    }
    const fault = checks.fault(schema, typeof given === 'string' ? valueOfText(parameter, given) : given);
    if (fault !== undefined) return `the ${place} parameter ${name} was served: ${fault}`;
  }
  return undefined;
}

function faultOfBody(checks: Contract, { requestBody }: Operation, request: HttpRequest): string | undefined {
  if (requestBody === undefined) return undefined;
  let value: unknown;
  try {
    value = request.json();
  } catch {
    return 'a body that is no JSON was served';
  }
  if (value === undefined) return requestBody.required ? 'a body is required, and it was served without' : undefined;
  const fault = checks.fault(requestBody.content['application/json'].schema, value);
  return fault === undefined ? undefined : `the body was served: ${fault}`;
}

const textOf = (body: Answered['reply']['body']): string =>
  typeof body === 'string' ? body : Buffer.from(bytesOfBody(body)).toString('utf8');

function faultOfRefusal(status: number, body: string): string | undefined {
  const value: unknown = JSON.parse(body);
  const isRefusal = typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string';
  return status === 200 || isRefusal ? undefined : `a refusal without error: ${body}`;
}

const contractOfTable = (): Contract => {
  contract ??= new Contract(openApiDocument(endpoints));
  return contract;
};

/** What is wrong with a request to an endpoint of the table, according to the document; undefined when nothing is. */
export function requestFault({ method, path }: Endpoint, request: HttpRequest): string | undefined {
  const checks = contractOfTable();
  const operation = checks.operation(path, method);
  return faultOfParameters(checks, operation, request) ?? faultOfBody(checks, operation, request);
}

/** How a request and its reply deviate from the document; undefined when they don't. */
export function deviationOf({ endpoint, request, reply }: Answered): string | undefined {
  const { status = 200, body, headers } = reply;
  if (endpoint === undefined) return faultOfRefusal(status, textOf(body));
  if (!known.has(endpoint)) return undefined; // a test's own endpoint
  const checks = contractOfTable();
  const { method, path } = endpoint;
  const operation = checks.operation(path, method);
  const name = `${method} ${path} → ${status}`;
  const response = operation.responses[String(status)];
  if (response === undefined) return `${name}: a status that the document does not have: ${textOf(body)}`;
  const contentType = headers?.['content-type']?.split(';', 1)[0] ?? 'application/json';
  const content = response.content[contentType] ?? response.content['*/*'];
  if (content === undefined) return `${name}: the document has no content of type ${contentType}`;
  if (contentType === 'application/json') {
    const fault = checks.fault(content.schema, JSON.parse(textOf(body)));
    if (fault !== undefined) return `${name}: the reply: ${fault}`;
  }
  if (status !== 200 || request === undefined) return undefined;
  const fault = requestFault(endpoint, request);
  return fault === undefined ? undefined : `${name}: ${fault}`;
}
