import './app/refuse-old-node.js';
import 'reflect-metadata';
import { endOnCrash } from './app/crash.js';
import { shutOffDiagnostics } from './app/shut-off-diagnostics.js';
import { failStart } from './app/start-failure.js';
import { pulledResources } from './health/catalogue/catalogue.js';
import { ownEnvironment, readRereadable } from './platform/config/environment.js';

/**
 * `npm start`: serves until SIGTERM or SIGINT, drains and ends with 0; ends with 1 and a reason where it cannot start.
 * SIGHUP has the files of secrets read again.
 */
async function main(): Promise<void> {
  endOnCrash();
  shutOffDiagnostics();
  const files = readRereadable(ownEnvironment(), pulledResources);
  const { config } = files;
  // Loaded only now: what is wrong with the configuration is said several times as fast.
  const [{ createApp }, { SecretRotation }] = await Promise.all([
    import('./app/app.js'),
    import('./operations/probes/secret-rotation.js'),
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
  void pulsekeep.broken.then(failStart);
  await pulsekeep.start();
}

main().catch(failStart);
