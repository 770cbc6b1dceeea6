// A program that ends without closing its exchange: prints the status of a request for histories and how many temporary files
// there were at that time. Run by createExchange.test.ts.
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createExchange } from '../../server/createExchange.ts';

const { url } = await createExchange();
const { status } = await fetch(`${url}/oi`);
console.log(status, readdirSync(tmpdir()).length);
process.exit(0);
