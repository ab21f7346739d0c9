import { type KeyObject, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { recentlyUsed } from '../caches/recently-used.js';
import { openSqlite, SqliteDatabase, type SqliteFile } from '../database/sqlite-driver.js';
import { describeError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { makePrivateFile } from '../platform/private-file.js';
import { masterKeyOf, newKey, SEALED_KEY_BYTES, seal, unseal } from './sealing.js';

/** The key file, or what is configured of it, cannot be used: says why, never with a secret. */
export class PersonKeysUnusable extends Error {
  override readonly name = 'PersonKeysUnusable';
}

/** Why something cannot be read: its key was destroyed, or is not in the key file. */
export type KeyProblem = 'key_destroyed' | 'key_missing';

/** `receipt`: of messages until it is known whose they are · `unowned`: of those of nobody · `person`. */
export type KeyKind = 'receipt' | 'unowned' | 'person';

/** For how long a key is used that is not a person's. */
export interface Period {
  readonly kind: Exclude<KeyKind, 'person'>;
  readonly name: string;
  readonly endsAt: number;
}

/**
 * Rows are only ever added at the end, and written over in place by as many bytes: so no page is split, and nothing of
 * a destroyed key stays behind in an unused part of one. Zeros are a key that was destroyed.
 */
const tables = `
  CREATE TABLE key_file (id INTEGER PRIMARY KEY CHECK (id = 1), file_id TEXT NOT NULL, proof BLOB NOT NULL) STRICT;
  CREATE TABLE keys (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key_id INTEGER NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('receipt', 'unowned', 'person')),
    period TEXT,
    ends_at INTEGER,
    made_at INTEGER NOT NULL,
    wrapped BLOB NOT NULL
  ) STRICT;
  CREATE INDEX keys_period ON keys (period) WHERE period IS NOT NULL;`;

const proof = Buffer.from('pulsekeep person keys');
const notThere = 'is not there: put back the one that belongs to the database';
const otherSecret = 'was made with another PERSON_KEYS_SECRET';
const MOST_KEYS_IN_MEMORY = 10_000;
const MAX_KEY_ID = 2 ** 47;
const destroyed = Buffer.alloc(SEALED_KEY_BYTES);
const isThere = `wrapped <> zeroblob(${SEALED_KEY_BYTES})`;

/**
 * What the next start on a database file would say of the key file; null where nothing is wrong. Changes nothing.
 */
export function keyFileFault(path: string, secrets: readonly KeyObject[], database: SqliteFile): string | null {
  let expected: string | null;
  try {
    expected = stampIn(database);
  } catch {
    return unusable(path, 'cannot be compared with the database, which cannot be read').message;
  }
  if (!existsSync(path)) return expected === null ? null : unusable(path, notThere).message;
  const db = new SqliteDatabase(path, { readonly: true });
  try {
    const { stored, used } = fitting(db, secrets);
    if (used === undefined) return unusable(path, otherSecret).message;
    return expected === null || stored.file_id === expected
      ? null
      : unusable(path, 'belongs to another database').message;
  } catch (error) {
    return unusable(path, `cannot be used (${describeError(error).code ?? 'unknown'})`).message;
  } finally {
    db.close();
  }
}

function stampIn(database: SqliteFile): string | null {
  if (!existsSync(database.path)) return null;
  const db = openSqlite(database, { readonly: true });
  try {
    const isMigrated = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'person_key_file'`).get() !== undefined;
    if (!isMigrated) return null;
    return (db.prepare('SELECT file_id FROM person_key_file').pluck().get() as string | undefined) ?? null;
  } finally {
    db.close();
  }
}

/**
 * The file that holds the keys of persons, each wrapped by the master key. It lies beside the database and is no part
 * of its backups, so that destroying a key here makes what was sealed with it unreadable in all of them. A destroyed
 * key leaves its number.
 */
export class KeyFile {
  private readonly unwrapped = recentlyUsed<number, Buffer>(MOST_KEYS_IN_MEMORY);

  private readonly dataVersion;
  private version: number;

  private constructor(
    private readonly db: BetterSqlite3.Database,
    readonly id: string,
    private readonly master: Buffer,
  ) {
    this.dataVersion = db.prepare('PRAGMA data_version').pluck();
    this.version = this.dataVersion.get() as number;
  }

  /**
   * `secrets`: the current one first; a file that an earlier one was used for is changed to the current one. `mayMake`:
   * a file that is not there or empty is made. Throws {@link PersonKeysUnusable}.
   */
  static open(path: string, secrets: readonly KeyObject[], mayMake: boolean): KeyFile {
    if (!mayMake && !existsSync(path)) throw unusable(path, notThere);
    let db: BetterSqlite3.Database | null = null;
    try {
      makePrivateFile(path);
      db = new SqliteDatabase(path);
      db.pragma('secure_delete = ON');
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = FULL');
      return KeyFile.in(db, path, secrets, mayMake);
    } catch (error) {
      db?.close();
      if (error instanceof PersonKeysUnusable) throw error;
      const { code, error: name } = describeError(error);
      throw unusable(path, `cannot be used (${code ?? name})`);
    }
  }

  private static in(
    db: BetterSqlite3.Database,
    path: string,
    secrets: readonly KeyObject[],
    mayMake: boolean,
  ): KeyFile {
    const [current] = secrets;
    if (current === undefined) throw unusable(path, 'needs PERSON_KEYS_SECRET');
    const isMade = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'key_file'`).get() !== undefined;
    if (!isMade && !mayMake) throw unusable(path, 'is not the one that belongs to the database');
    if (!isMade) make(db, current);
    const { stored, used } = fitting(db, secrets);
    if (used === undefined) throw unusable(path, otherSecret);
    const master = masterKeyOf(current, stored.file_id);
    if (!used.equals(master)) rewrapAll(db, used, master);
    return new KeyFile(db, stored.file_id, master);
  }

  close(): void {
    this.db.close();
  }

  isEmpty(): boolean {
    return this.db.prepare('SELECT 1 FROM keys LIMIT 1').get() === undefined;
  }

  /** A new key of a person; durable when it answers. */
  addPersonKey(now: number): number {
    return this.add('person', randomInt(1, MAX_KEY_ID), null, now);
  }

  /** The key of a period, made on first use. */
  periodKey(period: Period, now: number): number {
    const found = this.db.prepare(`SELECT key_id FROM keys WHERE period = ? AND ${isThere}`).pluck().get(period.name);
    return (found as number | undefined) ?? this.add(period.kind, -randomInt(1, MAX_KEY_ID), period, now);
  }

  kindOf(keyId: number): KeyKind | null {
    return (
      (this.db.prepare('SELECT kind FROM keys WHERE key_id = ?').pluck().get(keyId) as KeyKind | undefined) ?? null
    );
  }

  key(keyId: number): Buffer | KeyProblem {
    this.forgetIfChanged();
    const known = this.unwrapped.get(keyId);
    if (known) return known;
    const wrapped = this.db.prepare('SELECT wrapped FROM keys WHERE key_id = ?').pluck().get(keyId) as
      | Buffer
      | undefined;
    if (!wrapped) return 'key_missing';
    if (wrapped.equals(destroyed)) return 'key_destroyed';
    const key = unseal(this.master, wrapped);
    this.unwrapped.set(keyId, key);
    return key;
  }

  /** Keys of periods that ended before an instant. */
  endedBefore(at: number): number[] {
    const sql = `SELECT key_id FROM keys WHERE period IS NOT NULL AND ends_at < ? AND ${isThere}`;
    return this.db.prepare(sql).pluck().all(at) as number[];
  }

  /** Whether a message that came until an instant may still be readable by a key of no person. */
  hasReceiptKeyFrom(until: number): boolean {
    const sql = `SELECT 1 FROM keys WHERE period IS NOT NULL AND kind = 'receipt' AND made_at <= ? AND ${isThere} LIMIT 1`;
    return this.db.prepare(sql).get(until) !== undefined;
  }

  /** Writes zeros over keys; durable, and no longer in the write-ahead log, when it answers. */
  destroy(keyIds: readonly number[]): void {
    if (keyIds.length === 0) return;
    const statement = this.db.prepare('UPDATE keys SET wrapped = ? WHERE key_id = ?');
    this.db.transaction(() => {
      for (const keyId of keyIds) statement.run(destroyed, keyId);
    })();
    for (const keyId of keyIds) this.unwrapped.delete(keyId);
    this.db.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Another thread may have destroyed keys: nothing is remembered past a change by another connection. */
  private forgetIfChanged(): void {
    const version = this.dataVersion.get() as number;
    if (version !== this.version) this.unwrapped.clear();
    this.version = version;
  }

  private add(kind: KeyKind, keyId: number, period: Period | null, now: number): number {
    const key = newKey();
    this.db
      .prepare('INSERT INTO keys (key_id, kind, period, ends_at, made_at, wrapped) VALUES (?, ?, ?, ?, ?, ?)')
      .run(keyId, kind, period?.name ?? null, period?.endsAt ?? null, now, seal(this.master, key));
    this.unwrapped.set(keyId, key);
    return keyId;
  }
}

function make(db: BetterSqlite3.Database, secret: KeyObject): void {
  const id = newId();
  db.transaction(() => {
    db.exec(tables);
    const sealed = seal(masterKeyOf(secret, id), proof);
    db.prepare('INSERT INTO key_file (id, file_id, proof) VALUES (1, ?, ?)').run(id, sealed);
  })();
}

/** The identity in a key file, and the master key of the secret it was made with. */
function fitting(
  db: BetterSqlite3.Database,
  secrets: readonly KeyObject[],
): { stored: { file_id: string }; used: Buffer | undefined } {
  const stored = db.prepare('SELECT file_id, proof FROM key_file').get() as { file_id: string; proof: Buffer };
  const masters = secrets.map((secret) => masterKeyOf(secret, stored.file_id));
  return { stored, used: masters.find((master) => opens(master, stored.proof)) };
}

function opens(master: Buffer, sealed: Buffer): boolean {
  try {
    return unseal(master, sealed).equals(proof);
  } catch {
    return false;
  }
}

/** All of them or none. */
function rewrapAll(db: BetterSqlite3.Database, from: Buffer, to: Buffer): void {
  const write = db.prepare('UPDATE keys SET wrapped = ? WHERE seq = ?');
  db.transaction(() => {
    const rows = db.prepare(`SELECT seq, wrapped FROM keys WHERE ${isThere}`).all() as {
      seq: number;
      wrapped: Buffer;
    }[];
    for (const { seq, wrapped } of rows) write.run(seal(to, unseal(from, wrapped)), seq);
    db.prepare('UPDATE key_file SET proof = ?').run(seal(to, proof));
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

function unusable(path: string, why: string): PersonKeysUnusable {
  return new PersonKeysUnusable(`PERSON_KEYS_PATH: the key file ${path} ${why}.`);
}
