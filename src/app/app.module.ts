import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts/accounts.module.js';
import { ConnectionsModule } from '../accounts/connections/connections.module.js';
import { ErasureGuardModule } from '../accounts/erasure-guard/erasure-guard.module.js';
import { AccountImportModule } from '../accounts/import/account-import.module.js';
import { LinkAttemptsModule } from '../accounts/link-attempts/link-attempts.module.js';
import { TokensModule } from '../accounts/tokens/tokens.module.js';
import { FeedModule } from '../changes/feed/feed.module.js';
import { SubscriptionsModule } from '../changes/subscriptions/subscriptions.module.js';
import { HealthDataModule } from '../health/health-data/health-data.module.js';
import { SourcePrioritiesModule } from '../health/priorities/source-priorities.module.js';
import { AuthModule } from '../http/auth/auth.module.js';
import { SessionsModule } from '../http/sessions/sessions.module.js';
import { EventsModule } from '../ingest/events/events.module.js';
import { InboxModule } from '../ingest/inbox/inbox.module.js';
import { PullsModule } from '../ingest/pulls/pulls.module.js';
import { RecoveriesModule } from '../ingest/recoveries/recoveries.module.js';
import { SourcesModule } from '../ingest/sources/sources.module.js';
import { WorkoutSeriesModule } from '../ingest/workout-series/workout-series.module.js';
import { AppointmentsModule } from '../labs/appointments/appointments.module.js';
import { LabsModule } from '../labs/catalogue/labs.module.js';
import { OrderIntakeModule } from '../labs/intake/order-intake.module.js';
import { OrderApiModule } from '../labs/order-routes/order-api.module.js';
import { OrdersModule } from '../labs/orders/orders.module.js';
import { OrderPlacementModule } from '../labs/placing/order-placement.module.js';
import { LabResultsModule } from '../labs/results/lab-results.module.js';
import { UnmatchedResultsModule } from '../labs/reviews/unmatched-results.module.js';
import { AlarmsModule } from '../operations/alarms/alarms.module.js';
import { MeModule } from '../operations/app-api/me.module.js';
import { RecordsModule } from '../operations/app-api/records.module.js';
import { ConsoleModule } from '../operations/console/console.module.js';
import { DayEvidenceModule } from '../operations/explain/day-evidence.module.js';
import { ExplainModule } from '../operations/explain/explain.module.js';
import { AccountAdminModule } from '../operations/overview/account-admin.module.js';
import { AdminModule } from '../operations/overview/admin.module.js';
import { OpsModule } from '../operations/overview/ops.module.js';
import { TimelineModule } from '../operations/timeline/timeline.module.js';
import type { Config } from '../platform/config/config.js';
import { ConfigModule } from '../platform/config/config.module.js';
import { PlatformModule, type PlatformParts } from '../platform/platform/platform.module.js';
import { AccessLogModule } from '../privacy/access-log/access-log.module.js';
import { ErasureModule } from '../privacy/erasure/erasure.module.js';
import { BackupModule } from '../storage/backup/backup.module.js';
import { ChangeLogModule } from '../storage/change-log/change-log.module.js';
import { DatabaseModule } from '../storage/database/database.module.js';
import type { Store } from '../storage/database/store.js';
import { DeclarationsModule } from '../storage/declarations/declarations.module.js';
import { DiskModule } from '../storage/disk/disk.module.js';
import { SchemaModule } from '../storage/schema/schema.module.js';
import { WorkModule } from '../storage/work/work.module.js';
import { UpstreamModule } from '../upstream/client/upstream.module.js';
import { rooms } from './rooms.js';

/** All rooms, foundations first. test/architecture.spec.ts enforces which room may import which. */
@Module({})
export class AppModule {
  static register(config: Config, parts: PlatformParts, store: Store, more: readonly Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(config),
        PlatformModule.register(parts),
        WorkModule,
        DatabaseModule.register(store),
        SchemaModule,
        DeclarationsModule.register(rooms),
        UpstreamModule,
        SessionsModule,
        AuthModule,
        ChangeLogModule,
        FeedModule,
        BackupModule,
        DiskModule,
        AlarmsModule,
        ErasureGuardModule,
        AccountsModule,
        ConnectionsModule,
        AccountImportModule,
        AccessLogModule,
        LabsModule,
        AppointmentsModule,
        SourcePrioritiesModule,
        HealthDataModule,
        LinkAttemptsModule,
        TokensModule,
        OrdersModule,
        OrderIntakeModule,
        OrderApiModule,
        LabResultsModule,
        OrderPlacementModule,
        UnmatchedResultsModule,
        PullsModule,
        SourcesModule,
        WorkoutSeriesModule,
        RecoveriesModule,
        EventsModule,
        InboxModule,
        SubscriptionsModule,
        DayEvidenceModule,
        RecordsModule,
        ErasureModule,
        ExplainModule,
        AccountAdminModule,
        TimelineModule,
        AdminModule,
        ConsoleModule,
        MeModule,
        OpsModule,
        ...more,
      ],
    };
  }
}
