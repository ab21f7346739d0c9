import './refuse-old-node.js';
import 'reflect-metadata';
import { pulledResources } from './catalogue/catalogue.js';
import { loadRereadable } from './config/environment.js';
import { endOnCrash } from './crash.js';
import { failStart } from './fail-start.js';
import { tuneGarbageCollector } from './garbage-collector.js';
import { shutOffDiagnostics } from './shut-off-diagnostics.js';

/**
 * `npm start`: serves until SIGTERM or SIGINT, drains and ends with 0; ends with 1 and a reason where it cannot start.
 * SIGHUP has the files of secrets read again.
 */
async function main(): Promise<void> {
  endOnCrash();
  shutOffDiagnostics();
  tuneGarbageCollector();
  const { config, files } = loadRereadable(pulledResources);
  // Loaded only now: what is wrong with the configuration is said several times as fast.
  const [{ createApp }, { SecretRotation }] = await Promise.all([
    import('./app.js'),
    import('./ops/secret-rotation.js'),
  ]);
  const made = createApp(config);
  // Left to itself a SIGHUP would end the process, also while it migrates.
  process.on('SIGHUP', () => {
    made.then(({ app }) => app.get(SecretRotation).reread(files)).catch(() => undefined);
  });
  const pulsekeep = await made;
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
