import './app/refuse-old-node.js';
import 'reflect-metadata';
import { endOnCrash } from './app/crash.js';
import { failStart } from './app/fail-start.js';
import { logMigration } from './app/log-migration.js';
import { entities } from './app/rooms.js';
import { pulledResources } from './health/catalogue/catalogue.js';
import { loadConfig } from './platform/config/environment.js';
import { SystemClock } from './platform/platform/clock.js';
import { Log } from './platform/platform/log.js';
import { openWriter } from './storage/database/store.js';
import { migrate } from './storage/schema/migrate.js';
import { assertNotGone, openingOnceUp } from './storage/schema/opening.js';

/** `npm run migrate`: brings the schema up to this program and ends. */
async function main(): Promise<void> {
  endOnCrash();
  const config = loadConfig(pulledResources);
  const log = new Log({ level: config.log.level });
  assertNotGone(config);
  const writer = await openingOnceUp(
    config.database,
    () => openWriter(config.database, entities),
    () => log.event('database.starting_up', {}, 'warn'),
  );
  try {
    const waiting = (): void => log.event('migration.waiting');
    const report = await migrate(writer, config.database, new SystemClock().now(), { waiting });
    logMigration(log, report);
    const { ran, copy } = report;
    log.event('migration.complete', { count: ran.length, ...(copy ? { file: copy } : {}) });
  } finally {
    await writer.destroy();
  }
}

main().catch(failStart);
