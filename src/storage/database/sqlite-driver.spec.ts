import { Secret } from '../../platform/config/secret.js';
import { openingOf, SqliteDatabase, sqlitePackage } from './sqlite-driver.js';

describe('the SQLite driver', () => {
  it('is better-sqlite3 13 from Node-API 10 on: Node 22.14, 24 and 26', () => {
    expect([10, 11].map((version) => sqlitePackage(version))).toEqual(['better-sqlite3', 'better-sqlite3']);
  });

  it('is better-sqlite3 12 below, which is Node 20, and where Node has no Node-API version', () => {
    const packages = [8, 9, Number(undefined)].map((version) => sqlitePackage(version));
    expect(packages).toEqual(Array(3).fill('better-sqlite3-node-20'));
  });

  it('is another build of the same two for encrypted files', () => {
    const packages = [10, 9].map((version) => sqlitePackage(version, true));
    expect(packages).toEqual(['better-sqlite3-multiple-ciphers', 'better-sqlite3-multiple-ciphers-node-20']);
  });

  it('is passed to threads with the options that open the file, and a key only if there is one', () => {
    expect(openingOf({ path: 'a' })).toMatchObject({ path: 'a', pragmas: [] });
    const { driver, pragmas } = openingOf({ path: 'a', key: new Secret('0f'.repeat(32)) });
    expect(driver).toContain('multiple-ciphers');
    expect(pragmas).toContain(`key = "x'${'0f'.repeat(32)}'"`);
  });

  it('opens a database on the Node that runs this test', () => {
    const db = new SqliteDatabase(':memory:');
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
    db.close();
  });
});
