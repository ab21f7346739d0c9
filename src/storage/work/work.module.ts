import { Global, Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { ClockStepsWorker } from './clock-steps.worker.js';
import { RowRetentionRepository } from './row-retention.repository.js';
import { RowRetentionWorker } from './row-retention.worker.js';
import { WorkerRegistry } from './worker-registry.js';

/**
 * Background work: the registry of workers and the timers that tick them. `ScheduleModule` would search every method of
 * every provider for decorators, which no worker uses.
 */
@Global()
@Module({
  providers: [SchedulerRegistry, WorkerRegistry, ClockStepsWorker, RowRetentionRepository, RowRetentionWorker],
  exports: [WorkerRegistry],
})
export class WorkModule {}
