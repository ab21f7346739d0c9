import { Module } from '@nestjs/common';
import { AvailabilityInputModule } from '../availability-input/availability-input.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AvailabilityService } from './availability.service.js';
import { CompendiumService } from './compendium.service.js';
import { ConversionService } from './conversion.service.js';
import { LabCalls } from './lab-calls.js';
import { AdminLabsController, AppLabsController } from './labs.controller.js';
import { LabsTelemetry } from './labs.telemetry.js';

@Module({
  imports: [UpstreamModule, AvailabilityInputModule],
  controllers: [AppLabsController, AdminLabsController],
  providers: [LabsTelemetry, LabCalls, AvailabilityService, CompendiumService, ConversionService],
  exports: [LabCalls],
})
export class LabsModule {}
