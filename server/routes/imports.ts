// Imports of a whole catalog through the operator's interface: an import is opened, its lines arrive in parts, and its
// commit creates all events and markets together. Lines wait in memory until then; a new import replaces one that was never
// committed. Thin: lines are parsed by import/catalogImport.ts.
import { randomUUID } from 'node:crypto';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { CatalogImport } from '../import/catalogImport.ts';
import type { Services } from '../services.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readFields } from '../wire/bodies.ts';
import { importLinesBody } from '../wire/importLines.ts';
import * as schemas from '../wire/schemas/imports.ts';

interface OpenImport {
  readonly id: string;
  readonly lines: CatalogImport;
  isCommitting: boolean;
}

const openImports = new WeakMap<Services, OpenImport>();

function findImport(services: Services, id: string): OpenImport {
  const open = openImports.get(services);
  if (open === undefined || open.id !== id) {
    const why = 'it was committed or dropped, another import replaced it, or the exchange restarted';
    throw new BadRequest(`import not found: ${id.slice(0, 50)}; ${why}`, { status: 404 });
  }
  if (open.isCommitting) {
    throw new BadRequest(`import ${id} is being committed and can no longer be changed or dropped`);
  }
  return open;
}

const begin: Handler = (_, { services }) => {
  if (openImports.get(services)?.isCommitting === true) {
    throw new BadRequest('another import is being committed; begin this one once that has ended');
  }
  // A UUID, so that an id from before a restart never matches: its holder could add to somebody else's import, or drop it.
  const id = randomUUID();
  openImports.set(services, { id, lines: new CatalogImport(services), isCommitting: false });
  return { body: JSON.stringify({ id }) };
};

const takeLines: Handler = (request, { services }) => {
  const given = readFields(importLinesBody, request.json());
  const { lines } = findImport(services, request.params.id);
  const errors = lines.addAll(given.lines);
  return { body: JSON.stringify({ ...lines.counts, errors }) };
};

const commit: Handler = async (request, { services }) => {
  const open = findImport(services, request.params.id);
  open.isCommitting = true;
  try {
    return { body: JSON.stringify(await open.lines.commit()) };
  } finally {
    openImports.delete(services);
  }
};

const drop: Handler = (request, { services }) => {
  findImport(services, request.params.id);
  openImports.delete(services);
  return { body: '{}' };
};

const row = { method: 'POST', auth: 'admin', throttle: 'operator', section: '8' } as const;
const IMPORT_PATH = '/admin/imports/{id}';

export const importEndpoints: readonly Endpoint[] = [
  { ...row, path: '/admin/imports', summary: 'Begins an import.', schema: schemas.begin, handler: begin },
  {
    ...row,
    path: `${IMPORT_PATH}/lines`,
    summary: 'Adds lines to an import and reports their errors.',
    schema: schemas.lines,
    handler: takeLines,
  },
  {
    ...row,
    path: `${IMPORT_PATH}/commit`,
    summary: 'Creates all events and markets of an import, or none.',
    schema: schemas.commit,
    handler: commit,
  },
  { ...row, method: 'DELETE', path: IMPORT_PATH, summary: 'Discards an import.', schema: schemas.drop, handler: drop },
];
