// Schemas of imports of a catalog: begun, filled with lines, committed or dropped. Named by the table of routes/imports.ts;
// what a line must be is checked line by line (importLines.ts), so that each bad one is named.
import { z } from 'zod';
import type { EndpointSchema } from '../../http/schema.ts';
import { importLinesBody } from '../importLines.ts';
import * as common from './common.ts';

const { text, whole } = common;
const counts = { events: whole, markets: whole };

export const begin: EndpointSchema = { reply: z.object({ id: text }) };
export const lines: EndpointSchema = {
  body: importLinesBody,
  reply: z.object({ ...counts, errors: z.array(z.object({ line: whole, error: text })) }),
};
export const commit: EndpointSchema = { reply: z.object(counts) };
export const drop: EndpointSchema = { reply: z.object({}) };
