import './app/refuse-old-node.js';
import 'reflect-metadata';
import { endOnCrash } from './app/crash.js';
import { failStart } from './app/fail-start.js';
import { entities } from './app/rooms.js';
import { pulledResources } from './health/catalogue/catalogue.js';
import { loadConfig } from './platform/config/environment.js';
import { SystemClock } from './platform/platform/clock.js';
import { Log } from './platform/platform/log.js';
import { openWriter } from './storage/database/store.js';
import { migrate } from './storage/schema/migrate.js';
import { openingOnceUp } from './storage/schema/opening.js';

/** `npm run migrate`: brings the schema up to this program and ends. */
async function main(): Promise<void> {
  endOnCrash();
  const config = loadConfig(pulledResources);
  const log = new Log({ level: config.log.level });
  const writer = await openingOnceUp(
    config.database,
    () => openWriter(config.database, entities),
    () => log.event('database.starting_up', {}, 'warn'),
  );
  try {
    const { ran, copy, foreign } = await migrate(writer, config.database, new SystemClock().now(), () =>
      log.event('migration.waiting'),
    );
    for (const migration of ran) log.event('migration.ran', { migration });
    if (foreign.length > 0) log.event('database.foreign_parts', { parts: foreign }, 'warn');
    log.event('migration.complete', { count: ran.length, ...(copy ? { file: copy } : {}) });
  } finally {
    await writer.destroy();
  }
}

main().catch(failStart);
