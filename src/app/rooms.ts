import { accessLogDeclarations } from './access-log/access-log.declarations.js';
import { accountImportDeclarations } from './account-import/account-import.declarations.js';
import { accountsDeclarations } from './accounts/accounts.declarations.js';
import { alarmsDeclarations } from './alarms/alarms.declarations.js';
import { appointmentsDeclarations } from './appointments/appointments.declarations.js';
import { connectionsDeclarations } from './connections/connections.declarations.js';
import { coverageDeclarations } from './coverage/coverage.declarations.js';
import type { RoomDeclarations } from './declarations/declarations.js';
import { erasureDeclarations } from './erasure/erasure.declarations.js';
import { erasureGuardDeclarations } from './erasure-guard/erasure-guard.declarations.js';
import { healthDataDeclarations } from './health-data/health-data.declarations.js';
import { inboxDeclarations } from './inbox/inbox.declarations.js';
import { ingestionStateDeclarations } from './ingestion-state/ingestion-state.declarations.js';
import { labResultsDeclarations } from './lab-results/lab-results.declarations.js';
import { linkAttemptsDeclarations } from './link-attempts/link-attempts.declarations.js';
import { orderIntakeDeclarations } from './order-intake/order-intake.declarations.js';
import { ordersDeclarations } from './orders/orders.declarations.js';
import { ownerLookupsDeclarations } from './owner-lookups/owner-lookups.declarations.js';
import { placementKeysDeclarations } from './placement-keys/placement-keys.declarations.js';
import { pullsDeclarations } from './pulls/pulls.declarations.js';
import { recordsDeclarations } from './records/records.declarations.js';
import { recoveriesDeclarations } from './recoveries/recoveries.declarations.js';
import { rejectedRecordsDeclarations } from './rejected-records/rejected-records.declarations.js';
import { resultFetchesDeclarations } from './result-fetches/result-fetches.declarations.js';
import { schemaDeclarations } from './schema/schema.declarations.js';
import { tokensDeclarations } from './tokens/tokens.declarations.js';
import { workoutSeriesDeclarations } from './workout-series/workout-series.declarations.js';

/** What every room declares of its tables. An erasure deletes in this order: rows before those they refer to. */
export const rooms: readonly RoomDeclarations[] = [
  healthDataDeclarations,
  rejectedRecordsDeclarations,
  recordsDeclarations,
  inboxDeclarations,
  workoutSeriesDeclarations,
  coverageDeclarations,
  pullsDeclarations,
  recoveriesDeclarations,
  connectionsDeclarations,
  tokensDeclarations,
  linkAttemptsDeclarations,
  labResultsDeclarations,
  resultFetchesDeclarations,
  placementKeysDeclarations,
  appointmentsDeclarations,
  orderIntakeDeclarations,
  ordersDeclarations,
  accountImportDeclarations,
  ownerLookupsDeclarations,
  accountsDeclarations,
  erasureDeclarations,
  erasureGuardDeclarations,
  accessLogDeclarations,
  alarmsDeclarations,
  ingestionStateDeclarations,
  schemaDeclarations,
];
