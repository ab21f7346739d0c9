import { existsSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileStamp } from '../../platform/platform/private-file.js';
import { CLOCK_TOLERANCE_MS, isAhead, parseUtcInstant } from '../../platform/platform/time.js';
import { type Manifest, manifestPath, readManifest } from './manifest.js';

/** Only files with these names, the service's own backups, are ever deleted. */
const ownName = /^pulsekeep-\d{8}T\d{9}Z\.sqlite$/;

/** A folder of backups, made by the service or another tool. */
export class BackupFolder {
  constructor(private readonly path: string) {}

  /** Path of a backup made by the service at `now` (epoch milliseconds). */
  pathFor(now: number): string {
    return join(this.path, `pulsekeep-${fileStamp(now)}.sqlite`);
  }

  /**
   * When the newest complete backup was made (its length matches its description); null if there is none. One dated
   * after `now` does not count, because its age is unknown.
   */
  async newestAt(now: number): Promise<number | null> {
    const described = (await this.names()).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    const times = described.map(async (name) => {
      const manifest = await readManifest(join(this.path, name));
      return manifest && this.isThere(name, manifest) ? parseUtcInstant(manifest.made_at) : null;
    });
    const known = (await Promise.all(times)).filter((at) => at !== null).filter((at) => !isAhead(at, now));
    return known.length === 0 ? null : Math.max(...known);
  }

  /**
   * Removes leftovers of killed backups, and all but the newest backups of the service. Those whose names are dated
   * after `now` were made before the clock was set back, so they count as the oldest.
   */
  async tidy(kept: number, now: number): Promise<void> {
    const names = await this.names();
    const unfinished = names.filter(
      (name) => name.includes('.sqlite.part') && ownName.test(name.split('.part')[0] ?? ''),
    );
    for (const name of unfinished) await rm(join(this.path, name), { force: true });
    const latest = basename(this.pathFor(now + CLOCK_TOLERANCE_MS));
    const sorted = names.filter((name) => ownName.test(name)).sort();
    const own = [...sorted.filter((name) => name > latest), ...sorted.filter((name) => name <= latest)];
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
