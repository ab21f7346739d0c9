import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { migrations as ofProgram } from '../../../migrations/list.js';
import { giveToService } from '../../platform/platform/private-file.js';
import type { DatabaseIdentity } from '../schema/database-identity.js';
import type { Contents } from './contents.js';

/** Backups contain everything stored about people, so only their owner may read them. */
export const ownerOnly = 0o600;

/** A backup cannot be made, is damaged, or cannot be restored. Its sentences contain no stored values. */
export class BackupError extends Error {
  override readonly name = 'BackupError';

  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(problems.join('\n'), options);
  }
}

/**
 * Written beside a backup, to check later that it is complete and to which environment it belongs. Contains no ids or
 * values.
 */
export interface Manifest {
  readonly made_at: string;
  /** Version of the program that made it. */
  readonly version: string;
  /** Absent for SQLite. */
  readonly database?: 'postgres';
  readonly region: string;
  readonly environment: string;
  /** Name of the database in the erasure journal; null if it has none. */
  readonly journal: string | null;
  readonly migrations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly sha256: string;
}

export function manifestPath(backup: string): string {
  return `${backup}.json`;
}

export async function writeManifest(backup: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(manifestPath(backup), text, { mode: ownerOnly, flush: true });
  giveToService(manifestPath(backup));
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

const known = ofProgram.map(({ name }) => name);

/** Migrations that this program does not know, from a newer version. */
export function unknownMigrations(done: readonly string[]): string[] {
  return done.filter((name) => !known.includes(name));
}

/** Migrations that the next start would run on a database with only these. */
export function pendingMigrations(done: readonly string[]): string[] {
  return known.filter((name) => !done.includes(name));
}

/** Null if it is missing or malformed. */
export async function readManifest(backup: string): Promise<Manifest | null> {
  try {
    const read: unknown = JSON.parse(await readFile(manifestPath(backup), 'utf8'));
    return isManifest(read) ? read : null;
  } catch {
    return null;
  }
}

function isManifest(read: unknown): read is Manifest {
  if (typeof read !== 'object' || read === null) return false;
  const { made_at, version, region, environment, migrations, counts, bytes, sha256 } = read as Partial<Manifest>;
  const texts = [made_at, version, region, environment, sha256].every((text) => typeof text === 'string');
  return (
    texts && typeof bytes === 'number' && Array.isArray(migrations) && typeof counts === 'object' && counts !== null
  );
}

export interface RestorableContents extends Contents {
  readonly stamp: DatabaseIdentity;
}

/** Throws {@link BackupError} if this program could not restore a backup of this database. */
export function restorable(contents: Contents): RestorableContents {
  const { stamp, migrations } = contents;
  if (unknownMigrations(migrations).length > 0) {
    throw new BackupError(['The database was written by a newer version: back it up with that version.']);
  }
  if (stamp === null) {
    throw new BackupError(['No service has used this database yet: it is empty and belongs to no region.']);
  }
  return { ...contents, stamp };
}

/** True if the rows of a file match its manifest. */
export function agrees(manifest: Manifest, { stamp, migrations, counts }: Contents): boolean {
  const { region, environment } = manifest;
  const described = [region, environment, manifest.migrations, sorted(manifest.counts)];
  const held = [stamp?.region, stamp?.environment, migrations, sorted(counts)];
  return JSON.stringify(described) === JSON.stringify(held);
}

function sorted(counts: Manifest['counts']): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}
