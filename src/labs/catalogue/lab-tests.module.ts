import { Module } from '@nestjs/common';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { LabTestsController } from './lab-tests.controller.js';
import { LabTestsService } from './lab-tests.service.js';
import { LabsModule } from './labs.module.js';

/** Tests that can be ordered. */
@Module({ imports: [UpstreamModule, LabsModule], controllers: [LabTestsController], providers: [LabTestsService] })
export class LabTestsModule {}
