// THE table of endpoints: every row of every routes file, in the order in which documentation lists them. Read by the
// router and by whatever describes the interface. A path that is not in it does not exist.
import { accountEndpoints } from '../routes/account.ts';
import { adminEndpoints } from '../routes/admin.ts';
import { devEndpoints } from '../routes/dev.ts';
import { healthEndpoints } from '../routes/health.ts';
import { keysEndpoints } from '../routes/keys.ts';
import { marketDataEndpoints } from '../routes/marketData.ts';
import { marketsEndpoints } from '../routes/markets.ts';
import { positionsEndpoints } from '../routes/positions.ts';
import { tradingEndpoints } from '../routes/trading.ts';
import { userDataEndpoints } from '../routes/userData.ts';
import type { Endpoint } from './endpoint.ts';

export const endpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...keysEndpoints,
  ...tradingEndpoints,
  ...userDataEndpoints,
  ...accountEndpoints,
  ...positionsEndpoints,
  ...marketDataEndpoints,
  ...marketsEndpoints,
  ...adminEndpoints,
  ...devEndpoints,
];
