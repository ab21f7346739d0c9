import { Module } from '@nestjs/common';
import { RecordPages } from '../records/record-pages.service.js';
import { HealthDataRepository } from './health-data.repository.js';
import { HealthDataService } from './health-data.service.js';
import { LatestPerDayReader } from './latest-per-day.reader.js';
import { RecordsReader } from './records.reader.js';
import { SeriesIndex } from './series-index.repository.js';

@Module({
  providers: [SeriesIndex, HealthDataRepository, HealthDataService, RecordsReader, LatestPerDayReader, RecordPages],
  exports: [HealthDataService, RecordsReader, RecordPages],
})
export class HealthDataModule {}
