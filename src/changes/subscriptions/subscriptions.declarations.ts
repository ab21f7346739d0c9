import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { HOPELESS_WARN_MS, hopelessErrors, hopelessStatuses, WARN_MS } from './push-rules.js';
import { PushEntity, SubscriptionEntity, SubscriptionLaneEntity } from './subscription.entity.js';

/** Number of days for which ended pushes stay in the log. */
const KEPT_DAYS = 7;

const isHopeless = `(error_code IN (${hopelessErrors.map((code) => `'${code}'`).join(', ')})
  OR (error_code = 'status' AND last_status IN (${hopelessStatuses.join(', ')})))`;

/** Nothing arrives, or nothing did until the endpoint was disabled for that. */
const isFailing = `failing_since IS NOT NULL AND (state = 'active' OR reason IN ('failing', 'gone'))
  AND failing_since + CASE WHEN ${isHopeless} THEN ${HOPELESS_WARN_MS} ELSE ${WARN_MS} END < :now`;

export const subscriptionsDeclarations: RoomDeclarations = {
  entities: [PushEntity, SubscriptionLaneEntity, SubscriptionEntity],
  personal: [
    personalRows(PushEntity, byAccount, { as: 'push', without: ['id', 'subscription_id', 'number', 'round'] }),
    personalRows(SubscriptionLaneEntity, byAccount, { as: 'push_lane', without: ['subscription_id', ...leaseColumns] }),
    // Only subscriptions limited to one account.
    personalRows(SubscriptionEntity, byAccount, {
      as: 'subscription',
      json: ['kinds', 'resources', 'origins'],
      without: ['url', 'description', 'secret_key', 'previous_key', 'feed', 'number', 'round', ...leaseColumns],
    }),
  ],
  ended: [
    {
      table: 'pushes',
      key: 'id',
      madeAt: 'created_at',
      ended: `r.created_at < :before AND (r.state <> 'waiting'
        OR NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = r.subscription_id))`,
      keptDays: KEPT_DAYS,
    },
  ],
  figures: {
    endpoints_failing: `SELECT COUNT(*) FROM subscriptions WHERE ${isFailing}`,
    endpoints_failing_since: `SELECT MIN(failing_since) FROM subscriptions WHERE ${isFailing}`,
    endpoints_disabled: `SELECT COUNT(*) FROM subscriptions WHERE state = 'disabled' AND reason <> 'operator'`,
    accounts_parked: 'SELECT COUNT(*) FROM subscription_lanes',
  },
  groups: {
    endpoint_failures: `SELECT CASE WHEN error_code = 'status' THEN 'status_' || COALESCE(last_status, 0) ELSE error_code
        END AS reason, COUNT(*) AS count
      FROM subscriptions WHERE ${isFailing} GROUP BY 1 ORDER BY 1`,
  },
  gauges: [
    {
      name: 'push_accounts_parked',
      help: 'Accounts whose pushes to an endpoint wait, because one failed or they took too long',
      figure: 'accounts_parked',
    },
    {
      name: 'push_endpoints_disabled',
      help: 'Endpoints disabled by the service, not by an operator',
      figure: 'endpoints_disabled',
    },
  ],
  waiting: {
    push: `SELECT error_code AS error, COUNT(*) AS count FROM subscription_lanes WHERE error_code IS NOT NULL
      GROUP BY error_code ORDER BY error_code`,
  },
};
