import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AccessLogModule } from './access-log/access-log.module.js';
import { AccountAdminModule } from './account-admin/account-admin.module.js';
import { AccountImportModule } from './account-import/account-import.module.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { AdminModule } from './admin/admin.module.js';
import { AdmissionModule } from './admission/admission.module.js';
import { AlarmsModule } from './alarms/alarms.module.js';
import { AppointmentsModule } from './appointments/appointments.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BackupModule } from './backup/backup.module.js';
import type { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { ConnectionsModule } from './connections/connections.module.js';
import { CoverageModule } from './coverage/coverage.module.js';
import { DatabaseModule } from './database/database.module.js';
import type { Store } from './database/store.js';
import { DayEvidenceModule } from './day-evidence/day-evidence.module.js';
import { DeclarationsModule } from './declarations/declarations.module.js';
import { ErasureModule } from './erasure/erasure.module.js';
import { ErasureGuardModule } from './erasure-guard/erasure-guard.module.js';
import { EventsModule } from './events/events.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { HealthDataModule } from './health-data/health-data.module.js';
import { InboxModule } from './inbox/inbox.module.js';
import { IngestionStateModule } from './ingestion-state/ingestion-state.module.js';
import { LabResultsModule } from './lab-results/lab-results.module.js';
import { LabTestsModule } from './lab-tests/lab-tests.module.js';
import { LabsModule } from './labs/labs.module.js';
import { LinkAttemptsModule } from './link-attempts/link-attempts.module.js';
import { MeModule } from './me/me.module.js';
import { OpsModule } from './ops/ops.module.js';
import { OrderApiModule } from './order-api/order-api.module.js';
import { OrderIntakeModule } from './order-intake/order-intake.module.js';
import { OrderPlacementModule } from './order-placement/order-placement.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { OwnResultsModule } from './own-results/own-results.module.js';
import { OwnerLookupsModule } from './owner-lookups/owner-lookups.module.js';
import type { Parts } from './parts.js';
import { PersonalDataModule } from './personal-data/personal-data.module.js';
import { PlacementKeysModule } from './placement-keys/placement-keys.module.js';
import { PlatformModule } from './platform/platform.module.js';
import { PullAdminModule } from './pull-admin/pull-admin.module.js';
import { PullsModule } from './pulls/pulls.module.js';
import { RecordsModule } from './records/records.module.js';
import { RecoveriesModule } from './recoveries/recoveries.module.js';
import { RejectedRecordsModule } from './rejected-records/rejected-records.module.js';
import { ResultFetchesModule } from './result-fetches/result-fetches.module.js';
import { rooms } from './rooms.js';
import { RowRetentionModule } from './row-retention/row-retention.module.js';
import { SchemaModule } from './schema/schema.module.js';
import { SourcePollsModule } from './source-polls/source-polls.module.js';
import { TimelineModule } from './timeline/timeline.module.js';
import { TokensModule } from './tokens/tokens.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { UpstreamBudgetModule } from './upstream-budget/upstream-budget.module.js';
import { WorkModule } from './work/work.module.js';
import { WorkoutSeriesModule } from './workout-series/workout-series.module.js';

/** The architecture on one screen: what stands lower is imported by what stands higher, never the other way. */
@Module({})
export class AppModule {
  static register(config: Config, parts: Parts, store: Store, more: readonly Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(config),
        PlatformModule.register(parts),
        UpstreamBudgetModule.register(parts.budget),
        WorkModule,
        DatabaseModule.register(store),
        SchemaModule,
        DeclarationsModule.register(rooms),
        UpstreamModule,
        AuthModule,
        AdmissionModule,
        BackupModule,
        AlarmsModule,
        RowRetentionModule,
        ErasureGuardModule,
        AccountsModule,
        ConnectionsModule,
        AccountImportModule,
        AccessLogModule,
        LabsModule,
        LabTestsModule,
        AppointmentsModule,
        HealthDataModule,
        LinkAttemptsModule,
        TokensModule,
        OrdersModule,
        PlacementKeysModule,
        ResultFetchesModule,
        OrderIntakeModule,
        OrderApiModule,
        LabResultsModule,
        OwnResultsModule,
        OrderPlacementModule,
        CoverageModule,
        PullsModule,
        IngestionStateModule,
        SourcePollsModule,
        WorkoutSeriesModule,
        PullAdminModule,
        RecoveriesModule,
        OwnerLookupsModule,
        RejectedRecordsModule,
        EventsModule,
        InboxModule,
        DayEvidenceModule,
        RecordsModule,
        PersonalDataModule,
        ErasureModule,
        ExplainModule,
        AccountAdminModule,
        TimelineModule,
        AdminModule,
        MeModule,
        OpsModule,
        ...more,
      ],
    };
  }
}
