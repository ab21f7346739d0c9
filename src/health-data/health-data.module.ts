import { Module } from '@nestjs/common';
import { DictionaryRepository } from './dictionary.repository.js';
import { HealthDataRepository } from './health-data.repository.js';
import { HealthDataService } from './health-data.service.js';
import { RecordsReader } from './records.reader.js';

@Module({
  providers: [DictionaryRepository, HealthDataRepository, HealthDataService, RecordsReader],
  exports: [HealthDataService, RecordsReader],
})
export class HealthDataModule {}
