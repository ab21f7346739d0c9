import { Module } from '@nestjs/common';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { AvailabilityService } from './availability.service.js';
import { AvailabilityInput } from './availability-input.js';
import { CompendiumService } from './compendium.service.js';
import { ConversionService } from './conversion.service.js';
import { LabCalls } from './lab-calls.js';
import { LabTestsController } from './lab-tests.controller.js';
import { LabTestsService } from './lab-tests.service.js';
import { AdminLabsController, AppLabsController } from './labs.controller.js';
import { LabsTelemetry } from './labs.telemetry.js';

@Module({
  imports: [UpstreamModule],
  controllers: [AppLabsController, AdminLabsController, LabTestsController],
  providers: [
    LabsTelemetry,
    LabCalls,
    AvailabilityInput,
    AvailabilityService,
    CompendiumService,
    ConversionService,
    LabTestsService,
  ],
})
export class LabsModule {}
