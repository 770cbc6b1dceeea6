// The one request to Polymarket's relayer that its unified client needs before it trades from a contract wallet: whether the
// wallet exists (wire.md B.3a). Wallets are never deployed here, and nothing is relayed.
import { isSelectedWallet } from '../commands/ownerWallets.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { readAddress } from '../wire/readIds.ts';
import * as schemas from '../wire/schemas/account.ts';

const deployed: Handler = ({ query }, { services }) => {
  return { body: JSON.stringify({ deployed: isSelectedWallet(services, readAddress(query.get('address'))) }) };
};

export const relayerEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/relayer/deployed',
    auth: 'none',
    throttle: 'general',
    section: 'wire B.3a',
    summary: 'Whether a contract wallet is the one that its owner trades from with its signature type.',
    schema: schemas.walletDeployed,
    handler: deployed,
  },
];
