import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { SeriesFetchWorker } from './series-fetch.worker.js';
import { SeriesFetcher } from './series-fetcher.js';
import { SeriesFetchesRepository } from './series-fetches.repository.js';
import { WorkoutSeriesController } from './workout-series.controller.js';
import { WorkoutSeries } from './workout-series.service.js';

@Module({
  imports: [UpstreamModule, AccountsModule, HealthDataModule],
  controllers: [WorkoutSeriesController],
  providers: [SeriesFetchesRepository, SeriesFetcher, SeriesFetchWorker, WorkoutSeries],
  exports: [WorkoutSeries],
})
export class WorkoutSeriesModule {}
