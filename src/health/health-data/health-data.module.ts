import { Module } from '@nestjs/common';
import { SourcePrioritiesModule } from '../priorities/source-priorities.module.js';
import { GoneRecordsReader } from './gone-records.reader.js';
import { HealthDataRepository } from './health-data.repository.js';
import { HealthDataService } from './health-data.service.js';
import { HeldDeletionsController } from './held-deletions.controller.js';
import { HeldDeletionsRepository } from './held-deletions.repository.js';
import { HeldDeletions } from './held-deletions.service.js';
import { LatestRecordsReader } from './latest-records.reader.js';
import { MissingRecordsRepository } from './missing-records.repository.js';
import { MissingRecords } from './missing-records.service.js';
import { RecordDaysReader } from './record-days.reader.js';
import { RecordsReader } from './records.reader.js';
import { RecordsTelemetry } from './records.telemetry.js';
import { RejectedRecordsRepository } from './rejected-records.repository.js';
import { RejectedRecords } from './rejected-records.service.js';
import { RejectedRecordsWorker } from './rejected-records.worker.js';
import { SeriesIndex } from './series-index.repository.js';
import { StatisticsReader } from './statistics.reader.js';
import { SampleStatistics } from './statistics.service.js';
import { StoredRecords } from './stored-records.service.js';

@Module({
  imports: [SourcePrioritiesModule],
  controllers: [HeldDeletionsController],
  providers: [
    HeldDeletionsRepository,
    HeldDeletions,
    SeriesIndex,
    HealthDataRepository,
    HealthDataService,
    RecordsReader,
    LatestRecordsReader,
    RecordDaysReader,
    GoneRecordsReader,
    StatisticsReader,
    SampleStatistics,
    StoredRecords,
    MissingRecordsRepository,
    RecordsTelemetry,
    MissingRecords,
    RejectedRecordsRepository,
    RejectedRecordsWorker,
    RejectedRecords,
  ],
  exports: [HealthDataService, MissingRecords, RejectedRecords, SampleStatistics, StoredRecords],
})
export class HealthDataModule {}
