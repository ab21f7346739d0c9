import { Module } from '@nestjs/common';
import { DictionaryRepository } from './dictionary.repository.js';
import { HealthDataRepository } from './health-data.repository.js';
import { HealthDataService } from './health-data.service.js';
import { RecordPages } from './http/record-pages.service.js';
import { LatestPerDayReader } from './reads/latest-per-day.reader.js';
import { RecordsReader } from './records.reader.js';

@Module({
  providers: [
    DictionaryRepository,
    HealthDataRepository,
    HealthDataService,
    RecordsReader,
    LatestPerDayReader,
    RecordPages,
  ],
  exports: [HealthDataService, RecordsReader, RecordPages],
})
export class HealthDataModule {}
