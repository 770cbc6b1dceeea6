// Notifications of the caller: GET and DELETE /notifications (wire.md C.6). Thin: notifications come from the view, and
// dropping them is a command of the log, so they stay dropped. All wallets of the owner are covered.

import { notificationItem } from '../../engine/index.ts';
import { submitAccepted } from '../commands/submit.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { rowsReply } from '../http/rowsReply.ts';
import { readSignatureType } from '../wire/balances.ts';
import { notificationRow, readNotificationIds } from '../wire/notifications.ts';
import * as schemas from '../wire/schemas/account.ts';

/** Newest first; in parts, since the records of resolved markets may have long descriptions. */
const list: Handler = (request, { services, caller }) => {
  readSignatureType(request.query);
  const { owner, apiKey } = caller();
  const notices = services.views.notifications.of(owner).toReversed();
  function* rows(): Generator<string> {
    for (const notice of notices) yield JSON.stringify(notificationRow(notice, services, apiKey));
  }
  return rowsReply(rows(), ['[', ']']);
};

/** Ids that do not exist count as dropped already. */
const drop: Handler = async (request, { services: { exchange, views }, caller }) => {
  const ids = new Set(readNotificationIds(request.query));
  const { owner, keyId } = caller();
  const present = views.notifications.of(owner).filter(({ number }) => ids.has(number));
  if (present.length > 0) {
    const items = present.map(({ number }) => notificationItem(number));
    await submitAccepted(exchange, { type: 'DropNotifications', owner, keyId, items });
  }
  return { body: '"OK"' };
};

const row = { path: '/notifications', section: 'wire C.6' } as const;

export const notificationEndpoints: readonly Endpoint[] = [
  {
    ...row,
    method: 'GET',
    auth: 'l2-read',
    throttle: 'general',
    summary: 'Notifications of the caller (cancelled orders, fills, resolved markets), newest first.',
    schema: schemas.notifications,
    handler: list,
  },
  {
    ...row,
    method: 'DELETE',
    auth: 'l2',
    throttle: 'general',
    summary: 'Deletes the notifications listed in ids, such as ids=1,2.',
    schema: schemas.dropNotifications,
    handler: drop,
  },
];
