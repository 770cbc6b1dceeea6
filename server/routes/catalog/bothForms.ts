// The two paths that the interface describes twice: GET /markets and GET /markets/{id} on the root (interface.md 4.2 and
// 4.3). A list request with `next_cursor` gets the cursor form, any other the catalog's. A number names a catalog record; a
// condition id the order-book record merged with the catalog's keys, or with `creator` the catalog record alone.
import { isBytes32 } from '../../auth/hex.ts';
import type { Endpoint, Handler } from '../../http/endpoint.ts';
import { rootCatalog } from '../../wire/catalogDialects.ts';
import { QueryReader } from '../../wire/catalogQuery.ts';
import { detailRecord } from '../../wire/markets.ts';
import { textOfPieces } from '../../wire/pieces.ts';
import { bothForms } from '../../wire/schemas/catalog.ts';
import { markets as cursorSchema } from '../../wire/schemas/marketData.ts';
import { cursorMarkets } from '../markets.ts';
import { marketById, marketPieces, rootMarkets } from './catalog.ts';

const eitherList: Handler = (request, context) =>
  request.query.has('next_cursor') ? cursorMarkets(request, context) : rootMarkets(request, context);

const eitherMarket: Handler = (request, { services: { catalog, views, exchange } }) => {
  const reader = new QueryReader(request.query, rootCatalog);
  const { id } = request.params;
  catalog.settle(exchange.now());
  const market = marketById(reader, catalog, views, id);
  const record = marketPieces(reader, catalog, market);
  if (!isBytes32(id) || reader.text('creator') !== undefined) return { body: record };
  const event = catalog.eventOf(market);
  const detail = detailRecord(market, event, catalog.tagNamesOf(event));
  return { body: JSON.stringify({ ...JSON.parse(textOfPieces(record)), ...detail }) };
};

const row = { method: 'GET', auth: 'none', section: 'interface 4.2 and 4.3' } as const;

export const bothFormsEndpoints: readonly Endpoint[] = [
  {
    ...row,
    path: '/markets',
    throttle: 'GET /markets',
    summary: 'Markets of the catalog; with next_cursor, all markets in the order-book format, oldest first.',
    schema: bothForms.markets(cursorSchema),
    handler: eitherList,
  },
  {
    ...row,
    path: '/markets/{id}',
    throttle: 'catalog',
    summary: 'One market by id; by condition id, in the order-book format too.',
    schema: bothForms.market,
    handler: eitherMarket,
  },
];
