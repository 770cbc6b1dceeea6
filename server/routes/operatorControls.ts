// The operator's switches: the mode of the exchange, and an owner's flags and wallets (wire.md F.8). Each change is a
// command of the log: it holds from one sequence on and survives a restart.

import { AccountFlag } from '../../engine/index.ts';
import { isAddress } from '../auth/hex.ts';
import { knownWallets, ownerOfAddress, typeOfWallet } from '../commands/ownerWallets.ts';
import { submitAccepted } from '../commands/submit.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { textsReply } from '../http/rowsReply.ts';
import type { Services } from '../services.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readFields } from '../wire/bodies.ts';
import { accountBody, exchangeBody } from '../wire/operatorBodies.ts';
import { accountTexts, operatorAccount } from '../wire/operatorRecords.ts';
import * as schemas from '../wire/schemas/operator.ts';
import { exchangeModes } from '../wire/terms.ts';

const changeExchange: Handler = async (request, { services }) => {
  const { mode } = readFields(exchangeBody, request.json());
  await submitAccepted(services.exchange, { type: 'SetExchangeMode', mode: exchangeModes[mode] });
  return { body: JSON.stringify({ mode }) };
};

/** The owner of the address in a path: that address itself, or the owner of that wallet. */
function ownerNamed(services: Services, address: string): string {
  if (!isAddress(address)) throw new BadRequest('invalid_field: address: it must be 0x and 40 hex digits');
  const named = address.toLowerCase();
  // An address with a key is an owner, even if it was bound to somebody else before it had one.
  return services.views.keys.hasOwner(named) ? named : ownerOfAddress(services, named, undefined);
}

const readAccount: Handler = ({ params }, { services }) => {
  const owner = ownerNamed(services, params.address);
  const typeOf = (wallet: string): number | null => typeOfWallet(services, owner, wallet);
  return textsReply(accountTexts(services.views, owner, knownWallets(services, owner), typeOf));
};

/** The binding goes first: only it can be refused, and then nothing has changed. */
const changeAccount: Handler = async (request, { services }) => {
  const owner = ownerNamed(services, request.params.address);
  const { banned, closed_only: closedOnly, bind } = readFields(accountBody, request.json());
  if (banned === undefined && closedOnly === undefined && bind === undefined) {
    throw new BadRequest('missing_field: banned, closed_only or bind: at least one is required');
  }
  const { exchange, views } = services;
  if (bind !== undefined) {
    const { wallet, type: signatureType } = bind;
    await submitAccepted(exchange, { type: 'BindWallet', owner, wallet, signatureType }, { address: wallet });
  }
  const bit = (isSet: boolean | undefined, flag: number): number => (isSet === true ? flag : 0);
  const mask = bit(banned !== undefined, AccountFlag.BANNED) | bit(closedOnly !== undefined, AccountFlag.CLOSED_ONLY);
  const flags = bit(banned, AccountFlag.BANNED) | bit(closedOnly, AccountFlag.CLOSED_ONLY);
  if (mask !== 0) await submitAccepted(exchange, { type: 'SetAccountFlags', owner, mask, flags });
  return { body: JSON.stringify(operatorAccount(views.accounts, owner)) };
};

const row = { method: 'PATCH', auth: 'admin', throttle: 'operator', section: '8' } as const;

export const operatorControlEndpoints: readonly Endpoint[] = [
  {
    ...row,
    path: '/admin/exchange',
    summary: 'Sets the mode: normal, post_only, cancel_only, disabled or restarting.',
    schema: schemas.changeExchange,
    handler: changeExchange,
  },
  {
    ...row,
    method: 'GET',
    path: '/admin/accounts/{address}',
    summary: 'The owner of an address, its flags, and the holdings of its wallets.',
    schema: schemas.readAccount,
    handler: readAccount,
  },
  {
    ...row,
    path: '/admin/accounts/{address}',
    summary: 'Sets the flags banned and closed_only of an owner, or binds a wallet to it.',
    schema: schemas.changeAccount,
    handler: changeAccount,
  },
];
