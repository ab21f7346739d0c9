import { type DynamicModule, Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { BackupScheduleWorker } from './backup/backup-schedule.worker.js';
import { ChangeLogRepository } from './change-log/change-log.repository.js';
import { ChangeLog } from './change-log/change-log.service.js';
import { ChangeRetentionWorker } from './change-log/change-retention.worker.js';
import { ChangeTail } from './change-log/change-tail.js';
import { SequencerWorker } from './change-log/sequencer.worker.js';
import { Reader } from './database/reader.js';
import { Scrubber } from './database/scrubber.js';
import type { Store } from './database/store.js';
import { WriteLane } from './database/write-lane.js';
import { Declarations, type RoomDeclarations } from './declarations/declarations.js';
import { FiguresReader } from './declarations/figures.reader.js';
import { SchemaService } from './schema/schema.service.js';
import { ClockStepsWorker } from './work/clock-steps.worker.js';
import { RowRetentionRepository } from './work/row-retention.repository.js';
import { RowRetentionWorker } from './work/row-retention.worker.js';
import { WorkerRegistry } from './work/worker-registry.js';

/**
 * Both sides of an open store, which its opener closes; the declarations of all rooms, the log of changes, backups, and
 * the registry of workers with their timers. `ScheduleModule` would search every method of every provider for
 * decorators, which no worker uses.
 */
@Module({})
export class StorageModule {
  static register(store: Store, rooms: readonly RoomDeclarations[]): DynamicModule {
    const shared = [
      { provide: WriteLane, useValue: store.lane },
      { provide: Reader, useValue: store.reader },
      { provide: Scrubber, useValue: store.scrubber },
      { provide: Declarations, useFactory: (): Declarations => new Declarations(rooms) },
      FiguresReader,
      SchemaService,
      WorkerRegistry,
      ChangeLog,
      ChangeTail,
    ];
    const own = [
      SchedulerRegistry,
      ClockStepsWorker,
      RowRetentionRepository,
      RowRetentionWorker,
      ChangeLogRepository,
      ChangeRetentionWorker,
      SequencerWorker,
      BackupScheduleWorker,
    ];
    return { module: StorageModule, global: true, providers: [...shared, ...own], exports: shared };
  }
}
