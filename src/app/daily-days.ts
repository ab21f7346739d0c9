import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { storedDaily } from '../operations/app-api/daily-numbers.repository.js';
import { DailyRows, dailyTable } from '../operations/app-api/daily-table.js';
import type { Config } from '../platform/config/config.js';
import type { Clock } from '../platform/platform/clock.js';
import { partsOf } from '../platform/platform.module.js';
import type { Reader } from '../storage/database/reader.js';
import { Scrubber } from '../storage/database/scrubber.js';
import { WriteLane } from '../storage/database/write-lane.js';
import type { ComputedDays, DayRows } from '../storage/declarations/views.js';
import { AppModule } from './app.module.js';

/**
 * The table `daily`, computed beside a service that may be running: the application's own services on a snapshot. It is
 * assembled and not started, so it does no work of its own, and it cannot write.
 */
export function dailyDays(config: Config, clock: Clock): ComputedDays {
  const rows = async (snapshot: Reader): Promise<DayRows> => {
    const parts = partsOf(config, { clock });
    const store = {
      dialect: snapshot.dialect,
      lane: new NoLane(),
      reader: snapshot,
      scrubber: new NoScrubber(),
      lost: new Promise<never>(() => undefined),
      close: async () => undefined,
    };
    const app = await NestFactory.create(AppModule.register(config, parts, store), new FastifyAdapter(), {
      logger: false,
      abortOnError: false,
    });
    return app.get(DailyRows, { strict: false });
  };
  return { table: dailyTable, rows, stored: storedDaily };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('A snapshot cannot be written to.'));
}

class NoScrubber extends Scrubber {
  protected remove(): Promise<never> {
    return refuse();
  }
}

class NoLane extends WriteLane {
  run(): Promise<never> {
    return refuse();
  }

  inside(): boolean {
    return false;
  }

  async idle(): Promise<void> {}
}
