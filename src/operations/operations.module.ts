import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HealthModule } from '../health/health.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { PrivacyModule } from '../privacy/privacy.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AccountAdminService } from './accounts/account-admin.service.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { SearchController } from './accounts/search.controller.js';
import { SearchReader } from './accounts/search.reader.js';
import { SearchService } from './accounts/search.service.js';
import { TimelineController } from './accounts/timeline.controller.js';
import { TimelineReader } from './accounts/timeline.reader.js';
import { TimelineService } from './accounts/timeline.service.js';
import { AlarmFinder } from './alarms/alarm-finder.js';
import { AlarmsController } from './alarms/alarms.controller.js';
import { AlarmsRepository } from './alarms/alarms.repository.js';
import { AlarmsService } from './alarms/alarms.service.js';
import { AlarmsTelemetry } from './alarms/alarms.telemetry.js';
import { AlarmsWorker } from './alarms/alarms.worker.js';
import { BrokerUse } from './alarms/broker-use.js';
import { CallLoansWorker } from './alarms/call-loans.worker.js';
import { DiskWatchWorker } from './alarms/disk-watch.worker.js';
import { ProcessReports } from './alarms/process-reports.js';
import { UpstreamProbeWorker } from './alarms/upstream-probe.worker.js';
import { WatchedDisks } from './alarms/watched-disks.js';
import { AccountReadsController } from './app-api/account-reads.controller.js';
import { DailyRows } from './app-api/daily-table.js';
import { LatestService } from './app-api/latest.service.js';
import { MeController } from './app-api/me.controller.js';
import { MeService } from './app-api/me.service.js';
import { RecordsController } from './app-api/records.controller.js';
import { RecordsService } from './app-api/records.service.js';
import { StatisticsService } from './app-api/statistics.service.js';
import { TodayService } from './app-api/today.service.js';
import { AuditReportSigner } from './audit-reports/audit-report-signer.js';
import { AuditReportsController } from './audit-reports/audit-reports.controller.js';
import { AuditReportsRepository } from './audit-reports/audit-reports.repository.js';
import { AuditReports } from './audit-reports/audit-reports.service.js';
import { KeySetController } from './audit-reports/key-set.controller.js';
import { BegunSignIns } from './console/begun-sign-ins.js';
import { DoctorController } from './console/doctor.controller.js';
import { IdentityProvider } from './console/identity-provider.js';
import { PeopleSignIn } from './console/people-sign-in.service.js';
import { SessionsController } from './console/sessions.controller.js';
import { SettingsController } from './console/settings.controller.js';
import { CoverageController } from './explain/coverage.controller.js';
import { DailyCoverage } from './explain/daily-coverage.service.js';
import { DayEvidence } from './explain/day-evidence.service.js';
import { ExplainController } from './explain/explain.controller.js';
import { ExplainService } from './explain/explain.service.js';
import { ActivityService } from './overview/activity.service.js';
import { ForecastService } from './overview/forecast.service.js';
import { OverviewController } from './overview/overview.controller.js';
import { OverviewService } from './overview/overview.service.js';
import { OverviewMetrics } from './probes/overview.metrics.js';
import { ProbesController } from './probes/probes.controller.js';
import { ProcessMetrics } from './probes/process.metrics.js';
import { ReadinessService } from './probes/readiness.service.js';
import { SecretRotation } from './probes/secret-rotation.js';

/** Reads for apps, routes for operators, alarms, probes and the console. */
@Module({
  imports: [UpstreamModule, AccountsModule, HealthModule, IngestModule, PrivacyModule],
  controllers: [
    ProbesController,
    AccountsController,
    OverviewController,
    ExplainController,
    CoverageController,
    SearchController,
    TimelineController,
    AlarmsController,
    RecordsController,
    MeController,
    AccountReadsController,
    DoctorController,
    SessionsController,
    SettingsController,
    AuditReportsController,
    KeySetController,
  ],
  providers: [
    ReadinessService,
    SecretRotation,
    ProcessMetrics,
    AccountAdminService,
    ActivityService,
    OverviewService,
    OverviewMetrics,
    ExplainService,
    DayEvidence,
    DailyCoverage,
    SearchReader,
    SearchService,
    TimelineReader,
    TimelineService,
    AlarmFinder,
    AlarmsRepository,
    AlarmsService,
    AlarmsTelemetry,
    AlarmsWorker,
    CallLoansWorker,
    BrokerUse,
    WatchedDisks,
    DiskWatchWorker,
    ForecastService,
    ProcessReports,
    UpstreamProbeWorker,
    RecordsService,
    MeService,
    LatestService,
    StatisticsService,
    DailyRows,
    TodayService,
    BegunSignIns,
    IdentityProvider,
    PeopleSignIn,
    AuditReportsRepository,
    AuditReportSigner,
    AuditReports,
  ],
  exports: [DayEvidence, AlarmsService, RecordsService, PeopleSignIn],
})
export class OperationsModule {}
