// Rows for the endpoints of the catalog and of imports, in the form of endpoints.ts: a valid path each, the parameters that
// hold one value, and the part of the path that varies. Used by endpoints.ts alone. The refusals of lists of values are
// tested in test/catalog.
import { type EndpointCase, type Extras, row } from './endpointCase.ts';
import * as kinds from './kinds.ts';

const get = (path: string, more: Extras = {}): EndpointCase => row('GET', path, 'none', more);

const states = { active: kinds.flagText, closed: kinds.flagText, archived: kinds.flagText };
const paged = {
  limit: kinds.whole,
  ascending: kinds.flagText,
  ...states,
  cyom: kinds.flagText,
  related_tags: kinds.flagText,
};
const withTag = { include_tag: kinds.flagText };
const ofMarkets = {
  ...withTag,
  rfq_enabled: kinds.flagText,
  volume_num_min: kinds.decimal,
  volume_num_max: kinds.decimal,
  liquidity_num_min: kinds.decimal,
  liquidity_num_max: kinds.decimal,
  rewards_min_size: kinds.decimal,
};
const ofEvents = {
  include_markets: kinds.flagText,
  featured: kinds.flagText,
  live: kinds.flagText,
  ended: kinds.flagText,
  volume_min: kinds.decimal,
  volume_max: kinds.decimal,
  liquidity_min: kinds.decimal,
  liquidity_max: kinds.decimal,
};
const labels = { limit: kinds.whole, offset: kinds.whole, ascending: kinds.flagText };
const relations = { omit_empty: kinds.flagText };
const byId: Extras = { part: kinds.catalogId };
const bySlug: Extras = { part: kinds.catalogSlug };

/** The same paths on the root and on the mount; GET /markets and one market of the root are in endpoints.ts. */
function ofMount(mount: string): readonly EndpointCase[] {
  return [
    ...(mount === ''
      ? []
      : [
          get(`${mount}/markets`, { query: { offset: kinds.whole, ...paged, ...ofMarkets } }),
          get(`${mount}/markets/1`, { ...byId, query: withTag }),
          get(`${mount}/status`),
        ]),
    get(`${mount}/markets/keyset`, { query: { ...paged, ...ofMarkets } }),
    get(`${mount}/markets/slug/bad-input`, { ...bySlug, query: withTag }),
    get(`${mount}/markets/1/tags`, byId),
    get(`${mount}/markets/1/description`, byId),
    get(`${mount}/events`, { query: { offset: kinds.whole, ...paged, ...ofEvents } }),
    get(`${mount}/events/pagination`, { query: { offset: kinds.whole, ...paged, ...ofEvents } }),
    get(`${mount}/events/keyset`, { query: { ...paged, ...ofEvents } }),
    get(`${mount}/events/slug/bad-input`, bySlug),
    get(`${mount}/events/1`, byId),
    get(`${mount}/events/1/tags`, byId),
    get(`${mount}/tags`, { query: { ...labels, is_carousel: kinds.flagText } }),
    get(`${mount}/tags/slug/bad-tag`, bySlug),
    get(`${mount}/tags/1`, byId),
    get(`${mount}/tags/1/related-tags`, { ...byId, query: relations }),
    get(`${mount}/tags/1/related-tags/tags`, { ...byId, query: relations }),
    get(`${mount}/tags/slug/bad-tag/related-tags`, { ...bySlug, query: relations }),
    get(`${mount}/tags/slug/bad-tag/related-tags/tags`, { ...bySlug, query: relations }),
    get(`${mount}/series`, { query: { ...labels, closed: kinds.flagText } }),
    get(`${mount}/series/1`, byId),
    get(`${mount}/public-search?q=bad`, {
      query: {
        limit_per_type: kinds.whole,
        page: kinds.whole,
        search_tags: kinds.flagText,
        search_profiles: kinds.flagText,
        optimized: kinds.flagText,
        ascending: kinds.flagText,
      },
    }),
    get(`${mount}/teams`),
    get(`${mount}/sports`),
    get(`${mount}/sports/market-types`),
    get(`${mount}/comments`),
    get(`${mount}/comments/1`, { ...byId, status: 404 }),
    get(`${mount}/comments/user_address/0x${'1'.repeat(40)}`, { part: kinds.address }),
    get(`${mount}/market-clarifications`),
    get(`${mount}/events/creators`),
    get(`${mount}/public-profile?address=0x${'1'.repeat(40)}`, { status: 404 }),
  ];
}

export const catalogCases: readonly EndpointCase[] = [...ofMount(''), ...ofMount('/gamma')];
export const importCases: readonly EndpointCase[] = [
  row('POST', '/admin/imports', 'admin'),
  row('POST', '/admin/imports/1/lines', 'admin', {
    part: kinds.importId,
    body: () => ({ lines: [{ line: 1, row: { kind: 'tag', slug: 'made', label: 'Made' } }] }),
    fields: { lines: kinds.importLines },
    required: ['lines'],
  }),
  row('POST', '/admin/imports/1/commit', 'admin', { part: kinds.importId }),
  row('DELETE', '/admin/imports/1', 'admin', { part: kinds.importId }),
];
