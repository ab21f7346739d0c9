import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { makePrivateFile, makePrivateFolder, syncFolderOf } from '../../platform/platform/private-file.js';
import { isLocked } from '../database/dialect.js';
import { SqliteDatabase } from '../database/sqlite-driver.js';

/*
 * The folder of a dataset. New files are made in `_new`, moved to their places, and then one rename makes the new
 * manifest.json the valid one; only after that are files deleted that it does not name. A crash at any moment leaves a
 * manifest whose files are all there. What it does not name is removed by the next run.
 */

/** The folder cannot take a dataset, or not this one. The message names no data. */
export class DatasetRefused extends Error {
  override readonly name = 'DatasetRefused';
}

export interface DatasetFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** What a consumer of rows deletes before it loads the files that a run wrote. */
export interface GoneKeys {
  /** People whose rows are all gone. */
  readonly accounts: readonly number[];
  readonly records: readonly { readonly resource: string; readonly record_id: string }[];
  /** Times are ISO 8601 in UTC, both inclusive. Rows of these times that are still there are in the written files. */
  readonly samples: readonly {
    readonly account_ref: number;
    readonly resource: string;
    readonly provider: string;
    readonly start: string;
    readonly end: string;
  }[];
}

/** Why all files were rewritten: there were none, they are not as the manifest says, or the feed cannot go on. */
export type WholeReason =
  | 'first_run'
  | 'other_columns'
  | 'files_missing'
  | 'cursor_expired'
  | 'feed_restarted'
  | 'cursor_ahead';

export interface Manifest {
  readonly format: 1;
  readonly schema_version: string;
  /** Digest of the names and types of all columns. */
  readonly columns: string;
  /** ISO 8601. */
  readonly made_at: string;
  /** Cursor of the feed: the files have every change up to it. */
  readonly position: string;
  /** What the last run did. */
  readonly run: {
    /** Cursor after which it read the changes; null if it rewrote all files. */
    readonly after: string | null;
    readonly whole: WholeReason | null;
    readonly written: readonly string[];
    readonly deleted: readonly string[];
    readonly gone: GoneKeys;
  };
  /** People who are being erased and whose rows were already removed. */
  readonly erasing: readonly number[];
  readonly files: readonly DatasetFile[];
}

const MANIFEST = 'manifest.json';
const LOCK = '.lock';
const STAGING = '_new';
const fileName = /^[0-9a-f]{32}\.parquet$/;

export class DatasetFolder {
  private constructor(
    private readonly path: string,
    private readonly unlock: () => void,
    /** The valid manifest; null before the first run. */
    readonly manifest: Manifest | null,
  ) {}

  /**
   * Takes an empty folder, a new one, or one with a dataset, for this process alone, and removes what an interrupted
   * run left. Throws {@link DatasetRefused}.
   */
  static async open(path: string): Promise<DatasetFolder> {
    if (existsSync(path) && !statSync(path).isDirectory()) throw new DatasetRefused('--out is a file, not a folder.');
    const own = [MANIFEST, LOCK, STAGING];
    const hasManifest = existsSync(join(path, MANIFEST));
    const others = existsSync(path) ? readdirSync(path).filter((name) => !own.includes(name)) : [];
    // A first run that was interrupted leaves a lock, and files of its own beside it.
    if (others.length > 0 && !hasManifest && !existsSync(join(path, LOCK))) {
      throw new DatasetRefused('The folder is not empty and has no dataset: give a folder of its own.');
    }
    makePrivateFolder(path);
    const unlock = lock(join(path, LOCK));
    try {
      const folder = new DatasetFolder(path, unlock, hasManifest ? manifestIn(path) : null);
      await rm(join(path, STAGING), { recursive: true, force: true });
      makePrivateFolder(join(path, STAGING));
      await folder.sweep(folder.manifest?.files ?? []);
      return folder;
    } catch (error) {
      unlock();
      throw error;
    }
  }

  close(): void {
    rmSync(join(this.path, STAGING), { recursive: true, force: true });
    this.unlock();
  }

  /** Where a new file is made. */
  staged(name: string): string {
    return join(this.path, STAGING, name);
  }

  at(path: string): string {
    return join(this.path, path);
  }

  /** True if the file is there with its size. */
  has({ path, bytes }: DatasetFile): boolean {
    return statSync(this.at(path), { throwIfNoEntry: false })?.size === bytes;
  }

  /** Moves new files, by their path here, to their places; then the manifest is valid, and other files are deleted. */
  async publish(moved: ReadonlyMap<string, string>, manifest: Manifest): Promise<void> {
    for (const [path, staged] of moved) {
      makePrivateFolder(dirname(this.at(path)));
      await rename(staged, this.at(path));
      await syncFolderOf(this.at(path));
    }
    const next = this.staged(MANIFEST);
    makePrivateFile(next);
    const file = await open(next, 'w');
    await file.writeFile(`${JSON.stringify(manifest, null, 1)}\n`);
    await file.sync();
    await file.close();
    await rename(next, this.at(MANIFEST));
    await syncFolderOf(this.at(MANIFEST));
    await this.sweep(manifest.files);
  }

  /** Deletes files of datasets that are not listed. */
  private async sweep(listed: readonly DatasetFile[]): Promise<void> {
    const wanted = new Set(listed.map(({ path }) => path));
    for (const entry of readdirSync(this.path, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = relative(this.path, path).split(sep).join('/');
      if (entry.isFile() && fileName.test(entry.name) && !wanted.has(name)) await unlink(path);
    }
  }
}

function manifestIn(path: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(join(path, MANIFEST), 'utf8')) as Manifest;
    if (manifest.format === 1 && Array.isArray(manifest.files)) return manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new DatasetRefused('manifest.json is not one of this program: give another folder, or remove this dataset.');
}

/** By an exclusive transaction on a file, which the operating system releases when the process ends for any reason. */
function lock(path: string): () => void {
  makePrivateFile(path);
  const held = new SqliteDatabase(path, { timeout: 0 });
  try {
    held.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    held.close();
    throw isLocked(error) ? new DatasetRefused('Another export is writing to this folder.') : error;
  }
  return () => held.close();
}
