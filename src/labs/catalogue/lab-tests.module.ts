import { Module } from '@nestjs/common';
import { LabsModule } from '../labs/labs.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { LabTestsController } from './lab-tests.controller.js';
import { LabTestsService } from './lab-tests.service.js';

/** What can be ordered. */
@Module({ imports: [UpstreamModule, LabsModule], controllers: [LabTestsController], providers: [LabTestsService] })
export class LabTestsModule {}
