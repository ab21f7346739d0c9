import { NestFactory } from '@nestjs/core';
import type { DestinationStream } from 'pino';
import { AppModule } from './app.module.js';
import { Config, RoleConfig } from './config/config.js';
import { openStore, openWriter } from './database/store.js';
import { entities } from './entities.js';
import { partsOf } from './parts.js';
import type { Metrics } from './platform/metrics.js';
import type { CallBudget } from './upstream-budget/budget.js';
import { WorkerRegistry } from './work/worker-registry.js';
import type { WriteTurns } from './write-turns/write-turns.js';

/** What background work in a thread of its own shares with the thread that serves HTTP. */
export interface SharedWithHttp {
  readonly turns: WriteTurns;
  readonly budget: CallBudget;
  readonly logDestination: DestinationStream;
}

/** Background work without HTTP, in a thread of its own on the SQLite file of another. */
export interface Background {
  readonly workers: WorkerRegistry;
  readonly metrics: Metrics;
  /** Lets work in hand end within `withinMs`, then closes the database. */
  stop(withinMs: number): Promise<void>;
}

/** On a file that is migrated, and locked for this process. Whoever calls ends with what it rejects. */
export async function createBackground(config: Config, { turns, ...given }: SharedWithHttp): Promise<Background> {
  const ofThread = new Config({ ...config, role: new RoleConfig({ role: 'worker' }) });
  const parts = partsOf(ofThread, given);
  const writer = await openWriter(config.database, entities);
  const store = await openStore(writer, config.database, entities, parts.gate, turns);
  const module = AppModule.register(ofThread, parts, store);
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const workers = app.get(WorkerRegistry);
  // The thread that serves HTTP shows it.
  parts.metrics.showStoreWhen(() => false);

  async function stop(withinMs: number): Promise<void> {
    for (const worker of await workers.stop(withinMs)) parts.log.event('worker.abandoned', { worker }, 'warn');
    await app.close();
    await store.close();
  }

  return { workers, metrics: parts.metrics, stop };
}
