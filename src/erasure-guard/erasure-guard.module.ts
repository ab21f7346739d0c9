import { Module } from '@nestjs/common';
import { ErasureGuardRepository } from './erasure-guard.repository.js';
import { ErasureGuard } from './erasure-guard.service.js';
import { ErasureGuardTelemetry } from './erasure-guard.telemetry.js';

@Module({
  providers: [ErasureGuardRepository, ErasureGuardTelemetry, ErasureGuard],
  exports: [ErasureGuard],
})
export class ErasureGuardModule {}
