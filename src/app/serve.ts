import { measureResources, pulledResources } from '../health/catalogue/catalogue.js';
import type { SecretRotation } from '../operations/probes/secret-rotation.js';
import type { Config } from '../platform/config/config.js';
import { ownEnvironment, readRereadable } from '../platform/config/environment.js';
import type { Log } from '../platform/platform/log.js';
import { allowSlowHandshakes } from './allow-slow-handshakes.js';
import type { Pulsekeep } from './app.js';
import { endOnCrash } from './crash.js';
import { reactions } from './signals.js';
import { failStart } from './start-failure.js';

/** Serves until a signal stops the process, or ends it with 1 and a reason where it cannot start. */
export async function serve(): Promise<void> {
  endOnCrash();
  allowSlowHandshakes();
  await start().catch(failStart);
}

async function start(): Promise<void> {
  const files = readRereadable(ownEnvironment(), pulledResources, measureResources);
  const made = make(files.config);
  // A file may change between its first read and the end of the start.
  reactions.reread = () => {
    made.then(({ rotation }) => rotation.reread(files)).catch(() => undefined);
  };
  reactions.switchLogLevel = () => {
    made.then(({ log }) => log.switchLevel()).catch(() => undefined);
  };
  const { pulsekeep } = await made;
  reactions.stop = () => {
    pulsekeep.stop(files.config.http.drainSeconds * 1_000).then(() => process.exit(0), failStart);
  };
  void pulsekeep.broken.then(failStart);
  await pulsekeep.start();
}

interface Made {
  readonly pulsekeep: Pulsekeep;
  readonly rotation: SecretRotation;
  readonly log: Log;
}

/** Loads the application only now: what is wrong with the configuration is said several times as fast. */
async function make(config: Config): Promise<Made> {
  const [{ createApp }, { SecretRotation }, { Log }] = await Promise.all([
    import('./app.js'),
    import('../operations/probes/secret-rotation.js'),
    import('../platform/platform/log.js'),
  ]);
  const pulsekeep = await createApp(config);
  return { pulsekeep, rotation: pulsekeep.app.get(SecretRotation), log: pulsekeep.app.get(Log) };
}
