import { type DynamicModule, Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { BackupScheduleWorker } from './backup/backup-schedule.worker.js';
import { KeptBackups } from './backup/kept-backups.js';
import { ChangeLogRepository } from './change-log/change-log.repository.js';
import { ChangeLog } from './change-log/change-log.service.js';
import { ChangeTail } from './change-log/change-tail.js';
import { OldChanges } from './change-log/old-changes.service.js';
import { SequencerWorker } from './change-log/sequencer.worker.js';
import { Reader } from './database/reader.js';
import { Scrubber } from './database/scrubber.js';
import type { Store } from './database/store.js';
import { WriteLane } from './database/write-lane.js';
import { Declarations, type RoomDeclarations } from './declarations/declarations.js';
import { FiguresReader } from './declarations/figures.reader.js';
import { FleetCounts } from './declarations/fleet-counts.js';
import { SchemaService } from './schema/schema.service.js';
import { CleanerWorker } from './work/cleaner.worker.js';
import { ClockStepsWorker } from './work/clock-steps.worker.js';
import { DatabaseWatchWorker } from './work/database-watch.worker.js';
import { OldRowsCleanings } from './work/old-rows.cleanings.js';
import { OldRowsRepository } from './work/old-rows.repository.js';
import { OldRows } from './work/old-rows.service.js';
import { Walks } from './work/walks.js';
import { WorkerRegistry } from './work/worker-registry.js';

/**
 * Both sides of an open store, which its opener closes; the declarations of all rooms, the log of changes, backups, the
 * cleaner, and the registry of workers with their timers. `ScheduleModule` would search every method of every provider
 * for decorators, which no worker uses.
 */
@Module({})
export class StorageModule {
  static register(store: Store, rooms: readonly RoomDeclarations[]): DynamicModule {
    const shared = [
      { provide: WriteLane, useValue: store.lane },
      { provide: Reader, useValue: store.reader },
      { provide: Scrubber, useValue: store.scrubber },
      { provide: Declarations, useFactory: (): Declarations => new Declarations(rooms) },
      FleetCounts,
      FiguresReader,
      SchemaService,
      WorkerRegistry,
      Walks,
      CleanerWorker,
      ChangeLog,
      ChangeTail,
    ];
    const own = [
      SchedulerRegistry,
      ClockStepsWorker,
      DatabaseWatchWorker,
      OldRowsRepository,
      OldRows,
      OldRowsCleanings,
      ChangeLogRepository,
      OldChanges,
      SequencerWorker,
      KeptBackups,
      BackupScheduleWorker,
    ];
    return { module: StorageModule, global: true, providers: [...shared, ...own], exports: shared };
  }
}
