import { AccountEntity, FormerUserEntity, SourcePollEntity } from '../accounts/accounts/account.entity.js';
import { ConnectionEntity } from '../accounts/connections/connection.entity.js';
import { ConnectionChangeEntity } from '../accounts/connections/connection-change.entity.js';
import { DeviceEntity } from '../accounts/connections/device.entity.js';
import { ErasureFenceEntity, ErasureFenceKeyEntity } from '../accounts/erasure-guard/erasure-fence.entity.js';
import { ErasureTombstoneEntity } from '../accounts/erasure-guard/erasure-tombstone.entity.js';
import {
  AccountImportDifferenceEntity,
  AccountImportEntity,
  SeenUserEntity,
} from '../accounts/import/account-import.entity.js';
import { LinkAttemptEntity } from '../accounts/link-attempts/link-attempt.entity.js';
import { TokenIssuanceEntity } from '../accounts/tokens/token-issuance.entity.js';
import { TokenIssueEntity } from '../accounts/tokens/token-issue.entity.js';
import {
  ObservationEntity,
  ProviderDeliveryEntity,
  SampleAttributesEntity,
  SampleEntity,
  SampleGroupEntity,
  SeriesEntity,
  SummaryEntity,
} from '../health/health-data/record.entity.js';
import { RejectedRecordEntity } from '../health/health-data/rejected-record.entity.js';
import { OwnerLookupEntity } from '../ingest/events/owner-lookup.entity.js';
import { MessageBodyEntity, MessageEntity } from '../ingest/inbox/message.entity.js';
import { CoverageEntity } from '../ingest/pulls/coverage.entity.js';
import { HistoricalPullEntity } from '../ingest/pulls/historical-pull.entity.js';
import { PullStreamEntity } from '../ingest/pulls/pull-stream.entity.js';
import { PullTaskEntity } from '../ingest/pulls/pull-task.entity.js';
import { RecoveryEntity } from '../ingest/recoveries/recovery.entity.js';
import { IngestionWalkEntity } from '../ingest/sources/ingestion-walk.entity.js';
import { SeriesFetchEntity } from '../ingest/workout-series/series-fetch.entity.js';
import { AppointmentBookingEntity } from '../labs/appointments/appointment-booking.entity.js';
import { OrderRefreshEntity } from '../labs/intake/order-refresh.entity.js';
import { OrderSyncEntity } from '../labs/intake/order-sync.entity.js';
import { AppointmentEntity, CriticalResultEntity } from '../labs/orders/lab-event.entity.js';
import { OrderEntity, OrderEventEntity, OrderTransactionEntity } from '../labs/orders/order.entity.js';
import { OrderPlacementEntity } from '../labs/orders/order-placement.entity.js';
import { ResultFetchEntity } from '../labs/orders/result-fetch.entity.js';
import { LabResultEntity } from '../labs/results/lab-result.entity.js';
import { AlarmEntity, ProcessEntity } from '../operations/alarms/alarm.entity.js';
import { AccessChainEntity, AccessEntryEntity } from '../privacy/access-log/access-log.entity.js';
import { ErasureEntity } from '../privacy/erasure/erasure.entity.js';
import { DatabaseIdentityEntity } from '../storage/schema/database-identity.entity.js';

/** Every table; test/schema holds this list and the migrations together. */
export const entities = [
  DatabaseIdentityEntity,
  AlarmEntity,
  ProcessEntity,
  AccessEntryEntity,
  AccessChainEntity,
  AccountEntity,
  FormerUserEntity,
  ConnectionEntity,
  ConnectionChangeEntity,
  DeviceEntity,
  TokenIssueEntity,
  TokenIssuanceEntity,
  LinkAttemptEntity,
  MessageEntity,
  MessageBodyEntity,
  OwnerLookupEntity,
  RejectedRecordEntity,
  ObservationEntity,
  ProviderDeliveryEntity,
  SeriesEntity,
  SampleAttributesEntity,
  SampleEntity,
  SampleGroupEntity,
  SummaryEntity,
  PullStreamEntity,
  PullTaskEntity,
  CoverageEntity,
  SourcePollEntity,
  HistoricalPullEntity,
  SeriesFetchEntity,
  OrderTransactionEntity,
  OrderEntity,
  OrderEventEntity,
  AppointmentEntity,
  CriticalResultEntity,
  LabResultEntity,
  ResultFetchEntity,
  OrderRefreshEntity,
  IngestionWalkEntity,
  OrderSyncEntity,
  OrderPlacementEntity,
  AppointmentBookingEntity,
  AccountImportEntity,
  SeenUserEntity,
  AccountImportDifferenceEntity,
  RecoveryEntity,
  ErasureEntity,
  ErasureFenceEntity,
  ErasureFenceKeyEntity,
  ErasureTombstoneEntity,
];
