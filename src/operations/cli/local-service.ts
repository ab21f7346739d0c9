import { createHash, randomBytes } from 'node:crypto';
import { AdminKey } from '../../platform/config/admin-key.js';
import { AdminConfig, Config, HttpConfig, LogConfig, RoleConfig } from '../../platform/config/config.js';
import { Rotating, Secret } from '../../platform/config/secret.js';
import type { Clock } from '../../platform/platform/clock.js';
import type { ComputedDays, View } from '../../storage/declarations/views.js';
import { DatabaseInUse } from '../../storage/schema/database-lock.js';
import { CliFailure, type LocalService, type Output } from './world.js';

const actor = 'cli';

export interface Application {
  readonly createApp: (config: Config, substitutes: { logDestination: Output }) => Promise<RunnableApp>;
  /** Reason of a failed start. */
  readonly reasonOf: (error: unknown) => string;
  /** Every table. */
  readonly entities: readonly (new () => object)[];
  /** The views of analysts. */
  readonly views: readonly View[];
  readonly dailyDays: (config: Config, clock: Clock) => ComputedDays;
}

interface RunnableApp {
  /** Returns the address. */
  start(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the application in this process on a free loopback port, with a random operator key. Logs to `log`, only
 * warnings and errors unless `verbose`. Throws CliFailure with the reason if the start fails.
 */
export async function startLocalService(
  { createApp, reasonOf }: Application,
  config: Config,
  verbose: boolean,
  log: Output,
): Promise<LocalService> {
  const key = randomBytes(32).toString('hex');
  try {
    const app = await createApp(localConfig(config, key, verbose), { logDestination: log });
    return { url: await started(app), key: new Secret(key), stop: () => app.stop() };
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw new CliFailure(reasonOf(error), 'not_started');
    throw new CliFailure(`${error.message} Use that service with --url URL.`, 'database_in_use');
  }
}

async function started(app: RunnableApp): Promise<string> {
  try {
    return await app.start();
  } catch (error) {
    await app.stop();
    throw error;
  }
}

function localConfig(config: Config, key: string, verbose: boolean): Config {
  const own = new AdminKey(actor, 'operator', createHash('sha256').update(key).digest());
  return new Config({
    ...config,
    http: new HttpConfig({ ...config.http, host: '127.0.0.1', port: 0 }),
    role: new RoleConfig({ role: 'all' }),
    admin: new AdminConfig({
      keys: new Rotating([...config.admin.keys.current.filter(({ name }) => name !== actor), own]),
    }),
    log: new LogConfig({ level: verbose || config.log.level === 'error' ? config.log.level : 'warn' }),
  });
}
