// Whether the exchange is up, its time, and the version of orders it accepts. Requested by clients before anything else,
// and by monitors. It must never depend on anything but the exchange itself.

import { StorageUnavailable } from '../../engine/index.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { INTERFACE_VERSION } from '../wire/interfaceVersion.ts';
import { secondsText } from '../wire/numbers.ts';
import * as schemas from '../wire/schemas/operator.ts';
import { exchangeModeText } from '../wire/terms.ts';

const OK = { body: '"OK"' } as const;
const VERSION = { body: `{"version":2,"interface":"${INTERFACE_VERSION}"}` } as const;

const ok: Handler = () => OK;
const time: Handler = ({ nowMs }) => ({ body: secondsText(nowMs) });
const version: Handler = () => VERSION;

const ready: Handler = (_request, { services }) => {
  const { exchange, views } = services;
  const reason = exchange.unavailableReason;
  if (reason !== undefined) throw new StorageUnavailable(reason);
  const mode = exchangeModeText(views.accounts.mode);
  const figures = { durable_sequence: exchange.durableSequence, markets: views.markets.list().length };
  return { body: JSON.stringify({ status: 'ready', mode, ...figures }) };
};

const open = { method: 'GET', auth: 'none', throttle: 'general' } as const;

export const healthEndpoints: readonly Endpoint[] = [
  {
    ...open,
    path: '/',
    throttle: 'GET /',
    section: '8',
    summary: 'Whether the exchange responds.',
    schema: schemas.ok,
    handler: ok,
  },
  { ...open, path: '/ok', section: 'H.1', summary: 'Whether the exchange responds.', schema: schemas.ok, handler: ok },
  {
    ...open,
    path: '/time',
    section: 'A.3',
    summary: "The exchange's time in Unix seconds.",
    schema: schemas.time,
    handler: time,
  },
  {
    ...open,
    path: '/version',
    section: 'B.1',
    summary: 'The version of the order struct and of this interface.',
    schema: schemas.version,
    handler: version,
  },
  {
    ...open,
    path: '/readyz',
    section: '8',
    summary:
      'Whether the exchange accepts commands, its mode, its durable sequence, and the number of markets, drafts included.',
    schema: schemas.ready,
    handler: ready,
  },
];
