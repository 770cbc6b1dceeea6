// THE table of endpoints: every row of every routes file, in the order of the documentation. Read by the router and by
// everything that describes the interface. A path that is not in it does not exist.
import { accountEndpoints } from '../routes/account.ts';
import { activityEndpoints } from '../routes/activity.ts';
import { adminEndpoints } from '../routes/admin.ts';
import { builderEndpoints } from '../routes/builders.ts';
import { bothFormsEndpoints } from '../routes/catalog/bothForms.ts';
import { catalogEndpoints } from '../routes/catalog/catalog.ts';
import { devEndpoints } from '../routes/dev.ts';
import { documentationEndpoints, streamDocumentationEndpoint } from '../routes/documentation.ts';
import { healthEndpoints } from '../routes/health.ts';
import { heartbeatEndpoints } from '../routes/heartbeats.ts';
import { importEndpoints } from '../routes/imports.ts';
import { keysEndpoints } from '../routes/keys.ts';
import { marketDataEndpoints } from '../routes/marketData.ts';
import { marketsEndpoints } from '../routes/markets.ts';
import { metricsEndpoints } from '../routes/metrics.ts';
import { notificationEndpoints } from '../routes/notifications.ts';
import { operatorControlEndpoints } from '../routes/operatorControls.ts';
import { ownRecordEndpoints } from '../routes/ownRecords.ts';
import { positionsEndpoints } from '../routes/positions.ts';
import { priceHistoryEndpoints } from '../routes/priceHistory.ts';
import { readonlyKeyEndpoints } from '../routes/readonlyKeys.ts';
import { relayerEndpoints } from '../routes/relayer.ts';
import { rewardsEndpoints } from '../routes/rewards.ts';
import { tradingEndpoints } from '../routes/trading.ts';
import { userDataEndpoints } from '../routes/userDataQueries.ts';
import type { Endpoint } from './endpoint.ts';

export const endpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...metricsEndpoints,
  ...keysEndpoints,
  ...readonlyKeyEndpoints,
  ...builderEndpoints,
  ...tradingEndpoints,
  ...heartbeatEndpoints,
  ...ownRecordEndpoints,
  ...accountEndpoints,
  ...relayerEndpoints,
  ...notificationEndpoints,
  ...rewardsEndpoints,
  ...positionsEndpoints,
  ...marketDataEndpoints,
  ...priceHistoryEndpoints,
  ...marketsEndpoints,
  ...activityEndpoints,
  streamDocumentationEndpoint,
  ...bothFormsEndpoints,
  ...catalogEndpoints,
  ...userDataEndpoints,
  ...adminEndpoints,
  ...operatorControlEndpoints,
  ...importEndpoints,
  ...devEndpoints,
  ...documentationEndpoints(() => endpoints),
];
