// What wallets did and hold: trades, positions, activity, holders and their totals (interface.md 4.1, catalog-and-data.md
// 3), on the root and, for official clients, below /data-api. Thin: the request's dialect parses the query, the historian
// runs and renders it. Any wallet may be queried by anybody, unless there is an allowlist.

import { groupOfPath } from '../config/throttleTable.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { mountRoot, userDataSchema } from '../wire/schemas/userData.ts';
import type { AskedKind } from '../wire/userDataParameters.ts';

const MOUNT = '/data-api';

function answer(kind: AskedKind): Handler {
  return async (request, { services: { historian }, dialect }) => {
    const query = dialect.readUserData(kind, request.query);
    const body = await historian.ask({ query, dialect: dialect.name });
    if (body === undefined) throw new Error(`historian: ${kind} is a list, and a list always exists`);
    return { body, onSent: () => historian.reuse(body) };
  };
}

interface Row {
  readonly kind: AskedKind;
  readonly section: string;
  readonly summary: string;
}

const rows: readonly Row[] = [
  { kind: 'trades', section: 'interface 4.1', summary: 'Trades of all wallets or of one wallet, newest first.' },
  { kind: 'positions', section: 'interface 4.1', summary: 'Open positions of a wallet, with profit and loss.' },
  {
    kind: 'closed-positions',
    section: 'interface 4.1',
    summary: 'Closed positions of a wallet, with profit and loss.',
  },
  { kind: 'activity', section: 'interface 4.1', summary: 'Trades, splits, merges and redemptions of a wallet.' },
  { kind: 'holders', section: 'interface 4.1', summary: 'The largest holders of each token of the given markets.' },
  { kind: 'value', section: 'data 3', summary: 'Total value of the positions of a wallet.' },
  { kind: 'traded', section: 'data 3', summary: 'Number of markets that a wallet has traded in.' },
  {
    kind: 'oi',
    section: 'data 3',
    summary: 'Open interest (collateral held for outstanding shares), by market or in total.',
  },
  { kind: 'live-volume', section: 'data 3', summary: 'Collateral traded in the markets of an event.' },
];

const endpointsBelow = (mount: string): readonly Endpoint[] =>
  rows.map(({ kind, section, summary }) => ({
    method: 'GET',
    path: `${mount}/${kind}`,
    auth: 'none',
    isAllowlisted: true,
    throttle: groupOfPath('GET', `/${kind}`),
    section,
    summary,
    schema: userDataSchema(kind, mount !== ''),
    handler: answer(kind),
  }));

const OK = { body: '{"data":"OK"}' } as const;

export const userDataEndpoints: readonly Endpoint[] = [
  ...endpointsBelow(''),
  {
    method: 'GET',
    path: `${MOUNT}/`,
    auth: 'none',
    throttle: 'GET /',
    section: 'data 3',
    summary: 'Whether the exchange responds.',
    schema: mountRoot,
    handler: () => OK,
  },
  ...endpointsBelow(MOUNT),
];
