import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { WorkerRegistry } from './worker-registry.js';

/** Background work: the registry of workers and what ticks them. */
@Global()
@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [WorkerRegistry],
  exports: [WorkerRegistry],
})
export class WorkModule {}
