import './app/refuse-old-node.js';
import 'reflect-metadata';
import { allowSlowHandshakes } from './app/allow-slow-handshakes.js';
import { endOnCrash } from './app/crash.js';
import { migratedWriter } from './app/migrated-writer.js';
import { failStart } from './app/start-failure.js';
import { measureResources, pulledResources } from './health/catalogue/catalogue.js';
import { ownEnvironment, readConfig } from './platform/config/environment.js';
import { SystemClock } from './platform/platform/clock.js';
import { Log } from './platform/platform/log.js';
import { assertNotGone } from './storage/schema/opening.js';

/** `npm run migrate`: brings the schema up to this program and ends; with 1 if a signal ends it before. */
async function main(): Promise<void> {
  // Without a listener, a signal does nothing to process 1 of a container.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
  endOnCrash();
  allowSlowHandshakes();
  const config = readConfig(ownEnvironment(), pulledResources, measureResources);
  const log = new Log({ level: config.log.level });
  assertNotGone(config);
  const { journalPath } = config.erasure;
  const { writer, ran, copy } = await migratedWriter(config.database, log, new SystemClock().now(), { journalPath });
  await writer.destroy();
  log.event('migration.complete', { count: ran.length, ...(copy ? { file: copy } : {}) });
}

main().catch(failStart);
