import { Module } from '@nestjs/common';
import { Metrics } from '../platform/metrics.js';
import { ProbesController } from './probes.controller.js';
import { ReadinessService } from './readiness.service.js';

@Module({
  controllers: [ProbesController],
  providers: [ReadinessService],
})
export class OpsModule {
  constructor(metrics: Metrics) {
    metrics.collectProcess();
  }
}
