import 'reflect-metadata';
import { createHash, randomBytes } from 'node:crypto';
import { createApp, type Pulsekeep } from './app.js';
import { CliFailure } from './cli-session/exit.js';
import type { LocalService } from './cli-session/world.js';
import { AdminConfig, AdminKey, Config, HttpConfig, LogConfig, RoleConfig } from './config/config.js';
import { Secret } from './config/secret.js';
import { reasonOf } from './fail-start.js';
import { DatabaseInUse } from './schema/database-lock.js';

const actor = 'cli';

/**
 * The whole application in this process, on a free port of the loopback, with an operator key that was never anywhere
 * else. Logs to standard error; warnings and errors only unless `verbose`. Throws CliFailure with the reason of a start
 * that failed.
 */
export async function startLocalService(config: Config, verbose: boolean): Promise<LocalService> {
  const key = randomBytes(32).toString('hex');
  try {
    const pulsekeep = await createApp(localConfig(config, key, verbose), {
      logDestination: { write: (line) => void process.stderr.write(line) },
    });
    return { url: await started(pulsekeep), key: new Secret(key), stop: () => pulsekeep.stop() };
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw new CliFailure(reasonOf(error), 'not_started');
    throw new CliFailure(`${error.message} Drive that one with --url URL.`, 'database_in_use');
  }
}

async function started(pulsekeep: Pulsekeep): Promise<string> {
  try {
    return await pulsekeep.start();
  } catch (error) {
    await pulsekeep.stop();
    throw error;
  }
}

function localConfig(config: Config, key: string, verbose: boolean): Config {
  const own = new AdminKey(actor, 'operator', createHash('sha256').update(key).digest());
  return new Config({
    ...config,
    http: new HttpConfig({ ...config.http, host: '127.0.0.1', port: 0 }),
    role: new RoleConfig({ role: 'all' }),
    admin: new AdminConfig({ keys: [...config.admin.keys.filter(({ name }) => name !== actor), own] }),
    log: new LogConfig({ level: verbose || config.log.level === 'error' ? config.log.level : 'warn' }),
  });
}
