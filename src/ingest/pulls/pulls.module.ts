import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { RejectedRecordsModule } from '../../health/health-data/rejected-records.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { CoverageModule } from './coverage.module.js';
import { PageFetcher } from './page-fetcher.js';
import { PullWorker } from './pull.worker.js';
import { PullRunner } from './pull-runner.js';
import { PullScheduleWorker } from './pull-schedule.worker.js';
import { PullTask } from './pull-task.js';
import { PullTasksReader } from './pull-tasks.reader.js';
import { PullTasksRepository } from './pull-tasks.repository.js';
import { PullTasks } from './pull-tasks.service.js';
import { PullsService } from './pulls.service.js';
import { PullsTelemetry } from './pulls.telemetry.js';
import { StorePage } from './store-page.js';

@Module({
  imports: [UpstreamModule, AccountsModule, HealthDataModule, CoverageModule, RejectedRecordsModule],
  providers: [
    PullTasksRepository,
    PullTasksReader,
    PullsTelemetry,
    PullsService,
    PullTasks,
    PullTask,
    PageFetcher,
    StorePage,
    PullRunner,
    PullWorker,
    PullScheduleWorker,
  ],
  exports: [PullsService, PullTasks],
})
export class PullsModule {}
