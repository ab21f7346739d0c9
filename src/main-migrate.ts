import './refuse-old-node.js';
import 'reflect-metadata';
import { pulledResources } from './catalogue/catalogue.js';
import { loadConfig } from './config/environment.js';
import { endOnCrash } from './crash.js';
import { openWriter } from './database/store.js';
import { entities } from './entities.js';
import { failStart } from './fail-start.js';
import { SystemClock } from './platform/clock.js';
import { Log } from './platform/log.js';
import { migrate } from './schema/migrate.js';
import { opening } from './schema/opening.js';

/** `npm run migrate`: brings the schema up to this program and ends. */
async function main(): Promise<void> {
  endOnCrash();
  const config = loadConfig(pulledResources);
  const log = new Log({ level: config.log.level });
  const writer = await opening(config.database, () => openWriter(config.database, entities));
  try {
    const { ran, copy } = await migrate(writer, config.database, new SystemClock().now());
    for (const migration of ran) log.event('migration.ran', { migration });
    log.event('migration.complete', { count: ran.length, ...(copy ? { file: copy } : {}) });
  } finally {
    await writer.destroy();
  }
}

main().catch(failStart);
