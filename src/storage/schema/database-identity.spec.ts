import { SqliteDatabase } from '../database/sqlite-driver.js';
import { identityIn } from './database-identity.js';

describe('the identity in a database file', () => {
  it.each(['database_identity', 'instance'])('is read from the table %s', (table) => {
    const db = new SqliteDatabase(':memory:');
    db.exec(`CREATE TABLE ${table} (id integer PRIMARY KEY, region text, environment text)`);
    db.exec(`INSERT INTO ${table} VALUES (1, 'eu', 'production')`);
    expect(identityIn(db)).toEqual({ region: 'eu', environment: 'production' });
    db.close();
  });
});
