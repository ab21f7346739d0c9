import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { CliFailure, type CliWorld, wrongUsage } from './world.js';

/**
 * The database of this environment, for commands that read it beside a service. Throws CliFailure `refused` unless it
 * has the schema of this program.
 */
export async function usableDatabase(world: CliWorld, refused: string): Promise<DatabaseConfig> {
  const { config, stamp } = world.database();
  const [{ examine }, { startFault }] = await Promise.all([
    import('../../storage/schema/examine.js'),
    import('../../storage/schema/described.js'),
  ]);
  const examined = await examine(config, [...(await world.entities())]);
  const fault = startFault(examined, stamp);
  if (fault !== null) throw new CliFailure(fault, refused);
  if (examined.pending.length > 0) {
    throw new CliFailure('The schema is not that of this program: start the service first.', refused);
  }
  return config;
}

/** Throws if the database is encrypted and what is written from it is not, unless that is meant. */
export function refuseEncrypted(config: DatabaseConfig, unencrypted: boolean | undefined): void {
  if (config.kind !== 'sqlite' || config.key === undefined || unencrypted === true) return;
  throw wrongUsage('DATABASE_KEY is set, but what this writes is not encrypted: add --unencrypted if that is meant.');
}
