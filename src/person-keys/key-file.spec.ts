import { createSecretKey } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '../database/sqlite-driver.js';
import { KeyFile, keyFileFault } from './key-file.repository.js';

const secret = (letter: string) => createSecretKey(Buffer.from(letter.repeat(32)));

describe('what is said of a key file before a start', () => {
  let folder: string;
  let keys: string;
  let database: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'key-file-'));
    [keys, database] = [join(folder, 'keys.sqlite'), join(folder, 'database.sqlite')];
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const fault = (...secrets: string[]): string | null => keyFileFault(keys, secrets.map(secret), { path: database });

  function stampedWith(fileId: string): void {
    const db = new SqliteDatabase(database);
    db.exec('CREATE TABLE person_key_file (id INTEGER PRIMARY KEY, file_id TEXT)');
    db.prepare('INSERT INTO person_key_file VALUES (1, ?)').run(fileId);
    db.close();
  }

  function made(): string {
    const file = KeyFile.open(keys, [secret('a')], true);
    file.close();
    return file.id;
  }

  it('is nothing where neither is there yet, and makes none', () => {
    expect(fault('a')).toBeNull();
    expect(existsSync(keys)).toBe(false);
  });

  it('is nothing where it belongs to the database, whichever of the secrets it was made with', () => {
    stampedWith(made());
    expect([fault('a'), fault('b', 'a')]).toEqual([null, null]);
  });

  it('is that it is not there, is of another secret or of another database, or is none', () => {
    stampedWith('another');
    expect(fault('a')).toContain('is not there');
    made();
    expect(fault('a')).toContain('belongs to another database');
    expect(fault('b')).toContain('was made with another PERSON_KEYS_SECRET');
    rmSync(keys);
    writeFileSync(keys, 'no database at all, but long enough to be read as a header of one');
    expect(fault('a')).toContain('cannot be used (SQLITE_NOTADB)');
  });
});

describe('a key file that two threads have open', () => {
  it('gives a key to neither once either has destroyed it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'key-file-'));
    const path = join(folder, 'keys.sqlite');
    const serving = KeyFile.open(path, [secret('a')], true);
    const working = KeyFile.open(path, [secret('a')], false);
    const id = serving.addPersonKey(0);
    const [own, others] = [serving.key(id), working.key(id)];
    expect([Buffer.isBuffer(own), others]).toEqual([true, own]);
    working.destroy([id]);
    expect([serving.key(id), working.key(id)]).toEqual(['key_destroyed', 'key_destroyed']);
    for (const file of [serving, working]) file.close();
    rmSync(folder, { recursive: true });
  });
});
