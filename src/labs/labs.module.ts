import { Module } from '@nestjs/common';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AdminLabsController } from './admin-labs.controller.js';
import { AppLabsController } from './app-labs.controller.js';
import { AvailabilityService } from './availability.service.js';
import { CompendiumService } from './compendium.service.js';
import { LabCalls } from './lab-calls.js';
import { LabsEvents } from './labs.telemetry.js';

@Module({
  imports: [UpstreamModule],
  controllers: [AppLabsController, AdminLabsController],
  providers: [LabsEvents, LabCalls, AvailabilityService, CompendiumService],
})
export class LabsModule {}
