import './refuse-old-node.js';
import 'reflect-metadata';
import { createApp } from './app.js';
import { pulledResources } from './catalogue/catalogue.js';
import { loadConfig } from './config/environment.js';
import { endOnCrash } from './crash.js';
import { failStart } from './fail-start.js';

/**
 * `npm start`: serves until SIGTERM or SIGINT, drains and ends with 0; ends with 1 and a reason where it cannot start.
 */
async function main(): Promise<void> {
  endOnCrash();
  const config = loadConfig(pulledResources);
  const pulsekeep = await createApp(config);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      pulsekeep.stop(config.http.drainSeconds * 1_000).then(
        () => process.exit(0),
        (error: unknown) => failStart(error),
      );
    });
  }
  await pulsekeep.start();
}

main().catch(failStart);
