import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChangedDays } from './clock/changed-days.service.js';
import { OffsetsReader } from './clock/offsets.reader.js';
import { PersonClocks } from './clock/person-clocks.service.js';
import { SampleHours } from './clock/sample-hours.reader.js';
import { HeldDeletionsController } from './gone/held-deletions.controller.js';
import { HeldDeletionsRepository } from './gone/held-deletions.repository.js';
import { HeldDeletions } from './gone/held-deletions.service.js';
import { MissingRecordsRepository } from './gone/missing-records.repository.js';
import { MissingRecords } from './gone/missing-records.service.js';
import { SourcePrioritiesController } from './priorities/source-priorities.controller.js';
import { SourcePrioritiesRepository } from './priorities/source-priorities.repository.js';
import { SourcePriorities } from './priorities/source-priorities.service.js';
import { GoneRecordsReader } from './reads/gone-records.reader.js';
import { NewestRecordsReader } from './reads/newest-records.reader.js';
import { NewestRecords } from './reads/newest-records.service.js';
import { RecordDaysReader } from './reads/record-days.reader.js';
import { RecordsReader } from './reads/records.reader.js';
import { RecordsOfDayReader } from './reads/records-of-day.reader.js';
import { StoredAmounts } from './reads/stored-amounts.service.js';
import { StoredDays } from './reads/stored-days.service.js';
import { StoredRecords } from './reads/stored-records.service.js';
import { HealthDataRepository } from './records/health-data.repository.js';
import { HealthDataService } from './records/health-data.service.js';
import { OldRejections } from './records/old-rejections.service.js';
import { RecordsTelemetry } from './records/records.telemetry.js';
import { RejectedRecordsRepository } from './records/rejected-records.repository.js';
import { RejectedRecords } from './records/rejected-records.service.js';
import { SeriesIndex } from './records/series-index.repository.js';
import { AmountsReader } from './statistics/amounts.reader.js';
import { SampleBucketsReader } from './statistics/sample-buckets.reader.js';
import { SampleBuckets } from './statistics/sample-buckets.service.js';
import { StatisticsReader } from './statistics/statistics.reader.js';
import { SampleStatistics } from './statistics/statistics.service.js';
import { OldSamplesRepository } from './thinning/old-samples.repository.js';
import { OldSamples } from './thinning/old-samples.service.js';

/** Health records: the one `apply`, reads, statistics, and what upstream no longer shows. */
@Module({
  imports: [AccountsModule],
  controllers: [HeldDeletionsController, SourcePrioritiesController],
  providers: [
    HeldDeletionsRepository,
    HeldDeletions,
    SeriesIndex,
    HealthDataRepository,
    HealthDataService,
    SampleHours,
    OffsetsReader,
    ChangedDays,
    PersonClocks,
    RecordsReader,
    NewestRecordsReader,
    RecordsOfDayReader,
    RecordDaysReader,
    GoneRecordsReader,
    AmountsReader,
    StatisticsReader,
    SampleBucketsReader,
    SampleBuckets,
    SampleStatistics,
    OldSamplesRepository,
    OldSamples,
    StoredRecords,
    StoredDays,
    NewestRecords,
    StoredAmounts,
    MissingRecordsRepository,
    RecordsTelemetry,
    MissingRecords,
    RejectedRecordsRepository,
    OldRejections,
    RejectedRecords,
    SourcePrioritiesRepository,
    SourcePriorities,
  ],
  exports: [
    HealthDataService,
    OldSamples,
    MissingRecords,
    PersonClocks,
    RejectedRecords,
    SampleBuckets,
    SampleStatistics,
    StoredRecords,
    StoredDays,
    NewestRecords,
    StoredAmounts,
    SourcePriorities,
  ],
})
export class HealthModule {}
