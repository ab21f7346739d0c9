import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { AppError } from '../../platform/platform/errors.js';
import { NetworkGate } from '../../platform/platform/network-gate.js';
import { EncryptionUnavailable } from '../database/sqlite-driver.js';
import { openStore, openWriter } from '../database/store.js';
import { DatabaseClosed, reopen } from '../schema/database-copy.js';
import { acquireDatabaseLock, DatabaseInUse } from '../schema/database-lock.js';
import { examine } from '../schema/examine.js';
import { DatabaseUnusable, opening } from '../schema/opening.js';
import { CopyError } from './copying.js';

/**
 * Allows a copied database to be served again. Returns false if it was not closed. Throws {@link CopyError},
 * DatabaseClosed for an unfinished target, DatabaseUnusable and DatabaseInUse.
 */
export async function reopenDatabase(config: DatabaseConfig): Promise<boolean> {
  const { pending, fault } = await examine(config);
  if (fault !== null) throw new CopyError(fault);
  if (pending.length > 0) return false;
  const release = config.kind === 'sqlite' ? acquireDatabaseLock(config.path) : null;
  try {
    const writer = await opening(config, () => openWriter(config, []));
    const store = await openStore(writer, config, new NetworkGate());
    try {
      return await store.lane.run(reopen);
    } finally {
      await store.close();
    }
  } finally {
    release?.();
  }
}

/** Message and code of an error that a copy raises on purpose; null for any other. */
export function refusalOf(error: unknown): { readonly message: string; readonly code: string } | null {
  if (error instanceof DatabaseInUse) return { message: `${error.message} Stop it first.`, code: 'database_in_use' };
  if (error instanceof AppError && error.code === 'storage_unavailable') {
    return { message: `${error.message} Run the same command again to resume.`, code: 'storage_unavailable' };
  }
  const refusals = [CopyError, DatabaseClosed, DatabaseUnusable, EncryptionUnavailable];
  return refusals.some((known) => error instanceof known)
    ? { message: (error as Error).message, code: 'copy_refused' }
    : null;
}
