import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckpointPolicy, LogCheckpoints, type LogPages } from '../../../src/storage/database/log-checkpoints.js';
import { openingOf, SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { refusing } from '../../support/no-thread.js';
import { fastFolder } from '../../support/test-store.js';

const policy: CheckpointPolicy = { pages: 50, ageMs: 3_600_000, longLog: 400, shortLog: 50 };

/** A file that one connection writes, with its checkpoints. */
class Written {
  private readonly folder = fastFolder('pulsekeep-');
  readonly path = join(this.folder, 'written.sqlite');
  readonly db = new SqliteDatabase(this.path);
  holds = 0;
  private held: Promise<unknown> = Promise.resolve();
  readonly checkpoints: LogCheckpoints;

  constructor(change: Partial<CheckpointPolicy> = {}, path?: string, triesWithoutThread: readonly number[] = []) {
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('wal_autocheckpoint = 0');
    this.db.exec('CREATE TABLE notes (content text)');
    this.checkpoints = new LogCheckpoints(
      refusing(openingOf({ path: path ?? this.path }), triesWithoutThread),
      { pages: () => this.pages(), hold: (work) => this.hold(work), cut: () => this.cut() },
      { ...policy, ...change },
    );
  }

  pages(): LogPages {
    return this.db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as LogPages;
  }

  private cut(): boolean {
    return (this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }).busy === 0;
  }

  get logBytes(): number {
    return statSync(`${this.path}-wal`).size;
  }

  /** Some pages at least. */
  write(pages: number): void {
    const insert = this.db.prepare('INSERT INTO notes VALUES (?)');
    this.db.transaction(() => {
      for (let page = 0; page < pages; page++) insert.run('x'.repeat(4_000));
    })();
  }

  /** Commits, a few pages each, until `reached`. */
  async writeUntil(reached: (pages: LogPages) => boolean): Promise<void> {
    while (!reached(this.pages())) {
      this.write(10);
      this.checkpoints.committed();
      await new Promise((resolve) => setImmediate(resolve));
      await this.held;
    }
  }

  async close(): Promise<void> {
    await this.checkpoints.close();
    this.db.close();
    rmSync(this.folder, { recursive: true });
  }

  private hold<T>(work: () => Promise<T>): Promise<T> {
    this.holds += 1;
    const held = work();
    this.held = held;
    return held;
  }
}

describe('checkpoints', () => {
  let written: Written;
  const open = (...given: ConstructorParameters<typeof Written>): Written => (written = new Written(...given));
  afterEach(() => written.close());

  it('copy the log into the file once enough is only in the log, while writers continue', async () => {
    open({ longLog: 1_000_000 });
    written.write(40);
    written.checkpoints.committed();
    expect(written.pages().checkpointed).toBe(0);
    await written.writeUntil(({ checkpointed }) => checkpointed >= 50);
    expect(written.holds).toBe(0);
  });

  it('are also made for a short log after a while', async () => {
    open({ ageMs: 1 });
    written.write(1);
    written.checkpoints.committed();
    while (written.pages().checkpointed === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(written.pages().log).toBeLessThan(50);
  });

  it('pause writers for a moment if the log is long, so that it restarts', async () => {
    open();
    await written.writeUntil(() => written.holds > 0);
    written.write(1);
    expect(written.pages().log).toBeLessThan(20);
    expect(written.holds).toBe(1);
  });

  it('do not pause writers repeatedly because of a reader, and truncate the file afterwards', async () => {
    open();
    const reader = new SqliteDatabase(written.path, { readonly: true });
    written.write(1);
    const reading = reader.prepare('SELECT content FROM notes').iterate();
    reading.next();
    await written.writeUntil(({ log }) => log > 1_500);
    expect(written.holds).toBeLessThanOrEqual(4);
    reading.return?.();
    reader.close();
    await written.writeUntil(() => written.logBytes < 400 * 4_096);
  });

  it.each([
    ['a short', 1_000],
    ['a longer', 5],
  ])('truncate %s log on request, unless a reader still uses it', async (_, shortLog) => {
    open({ shortLog });
    written.write(10);
    const reader = new SqliteDatabase(written.path, { readonly: true });
    const reading = reader.prepare('SELECT content FROM notes').iterate();
    reading.next();
    written.write(1);
    expect(await written.checkpoints.cut()).toBe(false);
    reading.return?.();
    reader.close();
    expect(await Promise.all([written.checkpoints.cut(), written.checkpoints.cut()])).toEqual([true, true]);
    expect(written.logBytes).toBe(0);
  });

  it('are not made while the system has no thread left, and again once it has', async () => {
    open({ shortLog: 5 }, undefined, [1]);
    written.write(10);
    expect(await written.checkpoints.cut()).toBe(false);
    expect(await written.checkpoints.cut()).toBe(true);
  });

  it('that fail affect nothing else, and are retried in a new thread', async () => {
    const folder = fastFolder('pulsekeep-');
    const elsewhere = join(folder, 'not-there-yet.sqlite');
    open({ shortLog: 5 }, elsewhere);
    written.write(10);
    expect(await written.checkpoints.cut()).toBe(false);
    new SqliteDatabase(elsewhere).close();
    expect(await written.checkpoints.cut()).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
