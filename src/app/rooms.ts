import { accountsDeclarations } from '../accounts/accounts/accounts.declarations.js';
import { connectionsDeclarations } from '../accounts/connections/connections.declarations.js';
import { linkAttemptsDeclarations } from '../accounts/connections/link-attempts.declarations.js';
import { erasureGuardDeclarations } from '../accounts/erasure-guard/erasure-guard.declarations.js';
import { accountImportDeclarations } from '../accounts/import/account-import.declarations.js';
import { tokensDeclarations } from '../accounts/tokens/tokens.declarations.js';
import { feedDeclarations } from '../changes/feed/feed.declarations.js';
import { subscriptionsDeclarations } from '../changes/subscriptions/subscriptions.declarations.js';
import { missingRecordsDeclarations } from '../health/gone/missing-records.declarations.js';
import { sourcePrioritiesDeclarations } from '../health/priorities/source-priorities.declarations.js';
import { healthDataDeclarations } from '../health/reads/health-data.declarations.js';
import { thinningDeclarations } from '../health/thinning/thinning.declarations.js';
import { sessionsDeclarations } from '../http/auth/sessions.declarations.js';
import { auditsDeclarations } from '../ingest/audits/audits.declarations.js';
import { ownerLookupsDeclarations } from '../ingest/events/owner-lookups.declarations.js';
import { inboxDeclarations } from '../ingest/inbox/inbox.declarations.js';
import { pullsDeclarations } from '../ingest/pulls/pulls.declarations.js';
import { recoveriesDeclarations } from '../ingest/recoveries/recoveries.declarations.js';
import { coverageDeclarations } from '../ingest/streams/coverage.declarations.js';
import { workoutSeriesDeclarations } from '../ingest/workout-series/workout-series.declarations.js';
import { labReportsDeclarations } from '../labs/documents/lab-reports.declarations.js';
import { idempotencyKeysDeclarations } from '../labs/keys/idempotency-keys.declarations.js';
import { ordersDeclarations } from '../labs/orders/orders.declarations.js';
import { labResultsDeclarations } from '../labs/results/lab-results.declarations.js';
import { unmatchedResultsDeclarations } from '../labs/reviews/unmatched-results.declarations.js';
import { alarmsDeclarations } from '../operations/alarms/alarms.declarations.js';
import { dailyNumbersDeclarations, storedViews } from '../operations/app-api/daily-numbers.declarations.js';
import { recordsDeclarations } from '../operations/app-api/records.declarations.js';
import { auditReportsDeclarations } from '../operations/audit-reports/audit-reports.declarations.js';
import { accessLogDeclarations } from '../privacy/access-log/access-log.declarations.js';
import { erasureDeclarations } from '../privacy/erasure/erasure.declarations.js';
import { changeLogDeclarations } from '../storage/change-log/change-log.declarations.js';
import type { RoomDeclarations } from '../storage/declarations/declarations.js';
import { schemaDeclarations } from '../storage/schema/schema.declarations.js';
import { walksDeclarations } from '../storage/work/walks.declarations.js';

/** The declarations of all rooms. An erasure deletes in this order: rows before those they refer to. */
export const rooms: readonly RoomDeclarations[] = [
  sourcePrioritiesDeclarations,
  subscriptionsDeclarations,
  changeLogDeclarations,
  feedDeclarations,
  healthDataDeclarations,
  missingRecordsDeclarations,
  recordsDeclarations,
  dailyNumbersDeclarations,
  thinningDeclarations,
  inboxDeclarations,
  workoutSeriesDeclarations,
  auditsDeclarations,
  coverageDeclarations,
  pullsDeclarations,
  recoveriesDeclarations,
  connectionsDeclarations,
  tokensDeclarations,
  linkAttemptsDeclarations,
  idempotencyKeysDeclarations,
  unmatchedResultsDeclarations,
  labResultsDeclarations,
  labReportsDeclarations,
  ordersDeclarations,
  accountImportDeclarations,
  ownerLookupsDeclarations,
  accountsDeclarations,
  erasureDeclarations,
  erasureGuardDeclarations,
  accessLogDeclarations,
  alarmsDeclarations,
  auditReportsDeclarations,
  walksDeclarations,
  sessionsDeclarations,
  schemaDeclarations,
];

export const entities = rooms.flatMap(({ entities: own = [] }) => own);

/** The views of analysts, in the order of the data dictionary. */
export const views = rooms.flatMap(({ views: own = [] }) => own);

/** What analysts see on PostgreSQL. */
export const postgresViews = [...views, ...storedViews];
