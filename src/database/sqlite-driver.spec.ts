import { SqliteDatabase, sqlitePackage } from './sqlite-driver.js';

describe('the SQLite driver', () => {
  it('is better-sqlite3 13 from Node-API 10 on: Node 22.14, 24 and 26', () => {
    expect([10, 11].map(sqlitePackage)).toEqual(['better-sqlite3', 'better-sqlite3']);
  });

  it('is better-sqlite3 12 below, which is Node 20, and where Node has no Node-API version', () => {
    expect([8, 9, Number(undefined)].map(sqlitePackage)).toEqual(Array(3).fill('better-sqlite3-node-20'));
  });

  it('opens a database on the Node that runs this test', () => {
    const db = new SqliteDatabase(':memory:');
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
    db.close();
  });
});
