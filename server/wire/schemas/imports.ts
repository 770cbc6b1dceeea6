// Schemas of catalog imports: begin, add lines, commit or drop. Referenced by the table of routes/imports.ts. The lines are
// validated one by one in importLines.ts, so that each bad one is reported.
import { z } from 'zod';
import { importLinesBody } from '../importLines.ts';
import * as common from './common.ts';
import type { EndpointSchema } from './endpointSchema.ts';

const { text, whole } = common;
const counts = { events: whole, markets: whole };

export const begin: EndpointSchema = { reply: z.object({ id: text }) };
export const lines: EndpointSchema = {
  body: importLinesBody,
  reply: z.object({ ...counts, errors: z.array(z.object({ line: whole, error: text })) }),
};
export const commit: EndpointSchema = { reply: z.object(counts) };
export const drop: EndpointSchema = { reply: z.object({}) };
