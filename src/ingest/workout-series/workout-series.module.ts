import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { HealthDataModule } from '../../health/health-data/health-data.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { SeriesFetchWorker } from './series-fetch.worker.js';
import { SeriesFetcher } from './series-fetcher.js';
import { SeriesFetchesRepository } from './series-fetches.repository.js';
import { StoreSeries } from './store-series.js';
import { WorkoutSeriesController } from './workout-series.controller.js';
import { WorkoutSeries } from './workout-series.service.js';
import { WorkoutSeriesTelemetry } from './workout-series.telemetry.js';

@Module({
  imports: [UpstreamModule, AccountsModule, HealthDataModule],
  controllers: [WorkoutSeriesController],
  providers: [
    WorkoutSeriesTelemetry,
    SeriesFetchesRepository,
    SeriesFetcher,
    StoreSeries,
    SeriesFetchWorker,
    WorkoutSeries,
  ],
  exports: [WorkoutSeries],
})
export class WorkoutSeriesModule {}
