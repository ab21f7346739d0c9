import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DatabaseIdentity } from '../schema/database-identity.js';
import { BackupError } from './backup-error.js';
import { type Contents, inspectFile } from './contents.js';
import { sha256OfFile } from './files.js';
import { agrees, type Manifest, readManifest } from './manifest.js';
import { pendingMigrations, unknownMigrations } from './schema-age.js';

export interface VerifiedBackup {
  readonly manifest: Manifest;
  /** Migrations that the next start would run on it. */
  readonly pending: readonly string[];
}

/**
 * Whether a backup is the very file that was made, whole, of this region and environment, and not of a newer program.
 * Changes nothing. Throws {@link BackupError} with everything that is wrong.
 */
export async function verifyBackup(path: string, stamp: DatabaseIdentity): Promise<VerifiedBackup> {
  if (!existsSync(path)) throw new BackupError(['There is no such file.']);
  const manifest = await readManifest(path);
  if (!manifest) throw new BackupError(['The description beside the backup (.json) is missing or cannot be read.']);
  const changes = await changesOf(path, manifest);
  if (changes.length > 0) throw new BackupError(changes);
  const inspection = inspectFile(path);
  const faults = inspection.faults ?? disagreements(inspection.contents, manifest, stamp);
  if (faults.length > 0) throw new BackupError(faults);
  return { manifest, pending: pendingMigrations(manifest.migrations) };
}

async function changesOf(path: string, { bytes, sha256 }: Manifest): Promise<string[]> {
  const { size } = await stat(path);
  if (size !== bytes) return [`The file has ${size} bytes, the backup that was made had ${bytes}.`];
  const same = (await sha256OfFile(path)) === sha256;
  return same ? [] : ['The file is not the one that was made: its SHA-256 differs.'];
}

function disagreements(contents: Contents, manifest: Manifest, stamp: DatabaseIdentity): string[] {
  const { region, environment } = contents.stamp;
  const belongs = region === stamp.region && environment === stamp.environment;
  return [
    ...(agrees(manifest, contents) ? [] : ['The description beside the backup (.json) tells of another database.']),
    ...(belongs
      ? []
      : [`It belongs to ${region}/${environment}, the configuration says ${stamp.region}/${stamp.environment}.`]),
    ...(unknownMigrations(contents.migrations).length > 0 ? ['It is of a newer program than this one.'] : []),
  ];
}
