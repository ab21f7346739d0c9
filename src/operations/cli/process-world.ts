import type { Config } from '../../platform/config/config.js';
import { ConfigError } from '../../platform/config/environment.js';
import type { Secret } from '../../platform/config/secret.js';
import { type Application, startLocalService } from './local-service.js';
import { CliFailure, type CliWorld } from './world.js';

export interface Surroundings extends Pick<CliWorld, 'out' | 'err' | 'clock' | 'onInterrupt'> {
  /** Throws `ConfigError`. */
  readonly config: () => Config;
  /** Throws `ConfigError`. */
  readonly operatorKey: () => Secret | undefined;
  /** Loaded on first use, because commands with --url start several times faster without it. */
  readonly application: () => Promise<Application>;
}

export function worldOf({ config, operatorKey, application, ...outputs }: Surroundings): CliWorld {
  const configuration = (): Config => configured(config);
  return {
    ...outputs,
    configuration,
    operatorKey: () => configured(operatorKey),
    startLocal: async (verbose) => startLocalService(await application(), configuration(), verbose, outputs.err),
    entities: async () => (await application()).entities,
    views: async () => (await application()).views,
    daily: async () => (await application()).dailyDays(configuration(), outputs.clock),
    database() {
      const { database, upstream } = configuration();
      return { config: database, stamp: { region: upstream.region, environment: upstream.environment } };
    },
  };
}

function configured<T>(load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (error instanceof ConfigError) throw new CliFailure(error.message, 'bad_configuration');
    throw error;
  }
}
