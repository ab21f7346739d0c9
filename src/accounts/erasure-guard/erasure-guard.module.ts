import { Module } from '@nestjs/common';
import { ErasureFencesRepository } from './erasure-fences.repository.js';
import { ErasureFences } from './erasure-fences.service.js';
import { ErasureFencesWorker } from './erasure-fences.worker.js';
import { ErasureGuardRepository } from './erasure-guard.repository.js';
import { ErasureGuard } from './erasure-guard.service.js';
import { ErasureGuardTelemetry } from './erasure-guard.telemetry.js';
import { LateScrubWorker } from './late-scrub.worker.js';

@Module({
  providers: [
    ErasureGuardRepository,
    ErasureFencesRepository,
    ErasureGuardTelemetry,
    ErasureGuard,
    ErasureFences,
    ErasureFencesWorker,
    LateScrubWorker,
  ],
  exports: [ErasureGuard, ErasureFences],
})
export class ErasureGuardModule {}
