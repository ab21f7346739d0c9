import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { ExportController } from './export.controller.js';
import { ExportReader } from './export.reader.js';
import { ExportService } from './export.service.js';
import { ExportTelemetry } from './export.telemetry.js';
import { PersonalDataMap } from './personal-data-map.js';

/** The map of personal data and its export. */
@Module({
  imports: [AccountsModule],
  controllers: [ExportController],
  providers: [PersonalDataMap, ExportReader, ExportTelemetry, ExportService],
  exports: [PersonalDataMap],
})
export class PersonalDataModule {}
