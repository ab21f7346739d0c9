import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LogCheckpoints, type LogPages } from '../../../src/storage/database/log-checkpoints.js';
import { SqliteScrubber } from '../../../src/storage/database/scrubber.js';
import { openingOf, SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { fastFolder } from '../../support/test-store.js';

const erasedMark = 'ERASED-';
const keptMark = 'KEPT---';

/** Rows of several owners in shared pages, changed and moved about, and then those of one owner deleted. */
class Shuffled {
  private seed = 7_919;
  private serial = 0;
  private readonly folder = fastFolder('pulsekeep-');
  private readonly path = join(this.folder, 'shuffled.sqlite');
  readonly db = new SqliteDatabase(this.path);
  readonly log = new LogCheckpoints(openingOf({ path: this.path }), {
    pages: () => this.db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as LogPages,
    hold: (work) => work(),
    cut: () => (this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }).busy === 0,
  });

  readonly access = {
    cut: () => this.log.cut(),
    hold: <T>(work: () => Promise<T>) => work(),
  };

  constructor() {
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('secure_delete = ON');
    this.db.exec(`CREATE TABLE notes (id integer PRIMARY KEY, owner integer, name text UNIQUE, content text);
      CREATE TABLE points (owner integer, time integer, content text, PRIMARY KEY (owner, time)) WITHOUT ROWID;
      CREATE INDEX notes_content ON notes (owner, content)`);
  }

  shuffle(): void {
    const note = this.db.prepare('INSERT INTO notes (owner, name, content) VALUES (?, ?, ?)');
    const point = this.db.prepare('INSERT OR REPLACE INTO points VALUES (?, ?, ?)');
    const owner = this.db.prepare('SELECT owner FROM notes WHERE id = ?').pluck();
    const change = this.db.prepare('UPDATE notes SET name = ?, content = ? WHERE id = ?');
    for (let step = 0; step < 12_000; step++) {
      const who = this.random() < 0.3 ? 1 : 2;
      const kind = this.random();
      const id = Math.floor(this.random() * this.serial);
      if (kind < 0.4) point.run(who, Math.floor(this.random() * 3_000), this.text(who));
      else if (kind < 0.8) note.run(who, this.text(who), this.text(who));
      else change.run(this.text(Number(owner.get(id) ?? 2)), this.text(Number(owner.get(id) ?? 2)), id);
    }
  }

  erase(): void {
    this.db.exec('DELETE FROM notes WHERE owner = 1; DELETE FROM points WHERE owner = 1');
  }

  has(mark: string): boolean {
    return ['', '-wal'].some((suffix) => readFileSync(`${this.path}${suffix}`).includes(mark));
  }

  async close(): Promise<void> {
    await this.log.close();
    this.db.close();
    rmSync(this.folder, { recursive: true });
  }

  private text(owner: number): string {
    const size = Math.floor(this.random() ** 4 * 4_000);
    return `${owner === 1 ? erasedMark : keptMark}${this.serial++}${'.'.repeat(size)}`;
  }

  private random(): number {
    this.seed = (this.seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return this.seed / 0x7fffffff;
  }
}

describe('scrubbing a SQLite file', () => {
  let shuffled: Shuffled;

  beforeEach(() => {
    shuffled = new Shuffled();
    shuffled.db.transaction(() => shuffled.shuffle())();
    shuffled.erase();
  });

  afterEach(() => shuffled.close());

  it('leaves no deleted data, which zeros and an empty log alone do not achieve', async () => {
    const scrubber = new SqliteScrubber(shuffled.db, shuffled.access);
    expect(await scrubber.scrub([], false)).toBe('overwritten');
    expect(shuffled.has(erasedMark)).toBe(true);
    expect(await scrubber.scrub([], true)).toBe('rewritten');
    expect([shuffled.has(erasedMark), shuffled.has(keptMark)]).toEqual([false, true]);
  });

  it('does not rewrite a file that is too large', async () => {
    expect(await new SqliteScrubber(shuffled.db, shuffled.access, 1_000).scrub([], true)).toBe('overwritten');
  });

  it('treats a failing disk as an unavailable database', async () => {
    const failing = {
      ...shuffled.access,
      cut: () => Promise.reject(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })),
    };
    const scrub = new SqliteScrubber(shuffled.db, failing).scrub([], false);
    await expect(scrub).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('waits for readers of the old data', async () => {
    const reader = new SqliteDatabase(shuffled.db.name, { readonly: true });
    const reading = reader.prepare('SELECT content FROM notes').iterate();
    reading.next();
    shuffled.db.pragma('busy_timeout = 0');
    expect(await new SqliteScrubber(shuffled.db, shuffled.access).scrub([], true)).toBeNull();
    reading.return?.();
    reader.close();
    expect(await new SqliteScrubber(shuffled.db, shuffled.access).scrub([], true)).toBe('rewritten');
  });
});
