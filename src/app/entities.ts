import { AccessChainEntity, AccessEntryEntity } from './access-log/access-log.entity.js';
import {
  AccountImportDifferenceEntity,
  AccountImportEntity,
  SeenUserEntity,
} from './account-import/account-import.entity.js';
import { AccountEntity, FormerUserEntity, SourcePollEntity } from './accounts/account.entity.js';
import { AlarmEntity, ProcessEntity } from './alarms/alarm.entity.js';
import { AppointmentBookingEntity } from './appointments/appointment-booking.entity.js';
import { ConnectionEntity } from './connections/connection.entity.js';
import { ConnectionChangeEntity } from './connections/connection-change.entity.js';
import { DeviceEntity } from './connections/device.entity.js';
import { CoverageEntity } from './coverage/coverage.entity.js';
import { HistoricalPullEntity } from './coverage/historical-pull.entity.js';
import { PullStreamEntity } from './coverage/pull-stream.entity.js';
import { ErasureEntity } from './erasure/erasure.entity.js';
import { ErasureFenceEntity, ErasureFenceKeyEntity } from './erasure-guard/erasure-fence.entity.js';
import { ErasureTombstoneEntity } from './erasure-guard/erasure-tombstone.entity.js';
import {
  ObservationEntity,
  ProviderDeliveryEntity,
  SampleAttributesEntity,
  SampleEntity,
  SampleGroupEntity,
  SeriesEntity,
  SummaryEntity,
} from './health-data/record.entity.js';
import { MessageBodyEntity, MessageEntity } from './inbox/message.entity.js';
import { IngestionWalkEntity } from './ingestion-state/ingestion-walk.entity.js';
import { LabResultEntity } from './lab-results/lab-result.entity.js';
import { LinkAttemptEntity } from './link-attempts/link-attempt.entity.js';
import { OrderRefreshEntity } from './order-intake/order-refresh.entity.js';
import { OrderSyncEntity } from './order-intake/order-sync.entity.js';
import { AppointmentEntity, CriticalResultEntity } from './orders/lab-event.entity.js';
import { OrderEntity, OrderEventEntity, OrderTransactionEntity } from './orders/order.entity.js';
import { OwnerLookupEntity } from './owner-lookups/owner-lookup.entity.js';
import { OrderPlacementEntity } from './placement-keys/order-placement.entity.js';
import { PullTaskEntity } from './pulls/pull-task.entity.js';
import { RecoveryEntity } from './recoveries/recovery.entity.js';
import { RejectedRecordEntity } from './rejected-records/rejected-record.entity.js';
import { ResultFetchEntity } from './result-fetches/result-fetch.entity.js';
import { DatabaseIdentityEntity } from './schema/database-identity.entity.js';
import { TokenIssuanceEntity } from './tokens/token-issuance.entity.js';
import { TokenIssueEntity } from './tokens/token-issue.entity.js';
import { SeriesFetchEntity } from './workout-series/series-fetch.entity.js';

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
