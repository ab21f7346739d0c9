import './refuse-old-node.js';
import 'reflect-metadata';
import { pulledResources } from './catalogue/catalogue.js';
import { runCli } from './cli/program.js';
import { startLocalService } from './cli-session/local-service.js';
import { CliFailure, type CliWorld, exitCodes } from './cli-session/world.js';
import type { Config } from './config/config.js';
import { ConfigError, loadConfig, loadOperatorKey } from './config/environment.js';
import { endOnCrash } from './crash.js';
import { SystemClock } from './platform/clock.js';

const signals = ['SIGINT', 'SIGTERM'] as const;
/** npm passes a Ctrl-C on that the terminal has sent to everybody already; only a later one means "at once". */
const echoMs = 1_000;

function configured<T>(load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (error instanceof ConfigError) throw new CliFailure(error.message, 'bad_configuration');
    throw error;
  }
}

const environment = (): Config => configured(() => loadConfig(pulledResources));

/** `npm run cli -- COMMAND`: ends with 0, 1 (failed, differences) or 2 (wrong usage). */
const world: CliWorld = {
  out: process.stdout,
  err: process.stderr,
  clock: new SystemClock(),
  operatorKey: () => configured(loadOperatorKey),
  async startLocal(verbose) {
    const config = environment();
    // Loaded here, because a command for a running service needs none of it and starts several times as fast.
    const [{ createApp }, { reasonOf }] = await Promise.all([import('./app.js'), import('./start-failure.js')]);
    return startLocalService({ createApp, reasonOf }, config, verbose);
  },
  configuration: environment,
  database() {
    const { database, upstream } = environment();
    return { config: database, stamp: { region: upstream.region, environment: upstream.environment } };
  },
  onInterrupt(react) {
    let first: number | null = null;
    const listen = (): void => {
      first ??= performance.now();
      react();
      if (performance.now() - first > echoMs) process.exit(exitCodes.failed);
    };
    for (const signal of signals) process.on(signal, listen);
    return () => signals.forEach((signal) => process.removeListener(signal, listen));
  },
};

endOnCrash({ write: (line) => void process.stderr.write(line) });
process.exitCode = await runCli(process.argv.slice(2), world);
