import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Loops } from './loops.js';
import { WorkerRegistry } from './worker-registry.js';

/** Background work: the registry of workers and what ticks them. */
@Global()
@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [WorkerRegistry, Loops],
  exports: [WorkerRegistry, Loops],
})
export class WorkModule {}
