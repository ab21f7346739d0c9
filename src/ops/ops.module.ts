import { Module } from '@nestjs/common';
import { Metrics } from '../platform/metrics.js';
import { ProbesController } from './probes.controller.js';
import { ReadinessService } from './readiness.service.js';
import { StoreCheckRepository } from './store-check.repository.js';

@Module({
  controllers: [ProbesController],
  providers: [ReadinessService, StoreCheckRepository],
})
export class OpsModule {
  constructor(metrics: Metrics) {
    metrics.collectProcess();
  }
}
