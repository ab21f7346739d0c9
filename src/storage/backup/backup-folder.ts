import { existsSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileStamp } from '../../platform/platform/private-file.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import { type Manifest, manifestPath, readManifest } from './manifest.js';

/** Backups of the service have names of their own, so that no other file ever goes. */
const ownName = /^pulsekeep-\d{8}T\d{9}Z\.sqlite$/;

/** A folder of backups made by any tool. */
export class BackupFolder {
  constructor(private readonly path: string) {}

  /** Path of a backup that the service makes at `now` (epoch milliseconds). */
  pathFor(now: number): string {
    return join(this.path, `pulsekeep-${fileStamp(now)}.sqlite`);
  }

  /** When the newest complete backup was made (its length matches its description); null if there is none. */
  async newestAt(): Promise<number | null> {
    const described = (await this.names()).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    let newest: number | null = null;
    for (const name of described) {
      const manifest = await readManifest(join(this.path, name));
      if (manifest === null || !this.isThere(name, manifest)) continue;
      const at = parseUtcInstant(manifest.made_at);
      if (at !== null && (newest === null || at > newest)) newest = at;
    }
    return newest;
  }

  /** Removes what a backup that was killed has left, and all but the newest backups of the service. */
  async tidy(kept: number): Promise<void> {
    const names = await this.names();
    const unfinished = names.filter(
      (name) => name.includes('.sqlite.part') && ownName.test(name.split('.part')[0] ?? ''),
    );
    for (const name of unfinished) await rm(join(this.path, name), { force: true });
    const own = names.filter((name) => ownName.test(name)).sort();
    for (const name of own.slice(0, Math.max(0, own.length - kept))) {
      await rm(join(this.path, name), { force: true });
      await rm(manifestPath(join(this.path, name)), { force: true });
    }
  }

  private isThere(name: string, { bytes }: Manifest): boolean {
    const path = join(this.path, name);
    return existsSync(path) && statSync(path).size === bytes;
  }

  private names(): Promise<string[]> {
    return readdir(this.path);
  }
}
