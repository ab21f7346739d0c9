import { Module } from '@nestjs/common';
import { HealthDataRepository } from './health-data.repository.js';
import { HealthDataService } from './health-data.service.js';
import { LatestRecordsReader } from './latest-records.reader.js';
import { RecordDaysReader } from './record-days.reader.js';
import { RecordsReader } from './records.reader.js';
import { SeriesIndex } from './series-index.repository.js';
import { StoredRecords } from './stored-records.service.js';

@Module({
  providers: [
    SeriesIndex,
    HealthDataRepository,
    HealthDataService,
    RecordsReader,
    LatestRecordsReader,
    RecordDaysReader,
    StoredRecords,
  ],
  exports: [HealthDataService, StoredRecords],
})
export class HealthDataModule {}
