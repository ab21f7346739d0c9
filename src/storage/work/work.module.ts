import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { ClockStepsWorker } from './clock-steps.worker.js';
import { RowRetentionRepository } from './row-retention.repository.js';
import { RowRetentionWorker } from './row-retention.worker.js';
import { WorkerRegistry } from './worker-registry.js';

/** Background work: the registry of workers and what ticks them. */
@Global()
@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [WorkerRegistry, ClockStepsWorker, RowRetentionRepository, RowRetentionWorker],
  exports: [WorkerRegistry],
})
export class WorkModule {}
