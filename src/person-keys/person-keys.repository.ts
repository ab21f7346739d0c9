import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { GivenQuery, Tx } from '../database/tx.js';

const keysOfAccounts: GivenQuery = {
  columns: [{ name: 'account_id', type: 'int' }],
  sql: 'SELECT k.account_id, k.key_id FROM given CROSS JOIN person_keys k WHERE k.account_id = given.account_id',
};

/** The tables person_keys and person_key_file. */
@Injectable()
export class PersonKeysRepository {
  constructor(private readonly reader: Reader) {}

  /** The key file this database belongs to; null before there was one. */
  async fileId(): Promise<string | null> {
    const [row] = await this.reader.few<{ file_id: string }>('SELECT file_id FROM person_key_file WHERE id = 1');
    return row?.file_id ?? null;
  }

  async stamp(tx: Tx, fileId: string, now: number): Promise<void> {
    await tx.execute('INSERT INTO person_key_file (id, file_id, stamped_at) VALUES (1, ?, ?)', [fileId, now]);
  }

  async keyOf(account: number): Promise<number | null> {
    const sql = 'SELECT key_id FROM person_keys WHERE account_id = ?';
    const [row] = await this.reader.few<{ key_id: number }>(sql, [account]);
    return row?.key_id ?? null;
  }

  /** Numbers of the keys of those of the accounts that have one. */
  async keysOf(tx: Tx, accounts: readonly number[]): Promise<Map<number, number>> {
    return new Map(await tx.given<readonly [account: number, keyId: number]>(keysOfAccounts, accounts));
  }

  async setKey(tx: Tx, account: number, keyId: number): Promise<void> {
    await tx.execute(
      `INSERT INTO person_keys (account_id, key_id) VALUES (?, ?)
       ON CONFLICT (account_id) DO UPDATE SET key_id = excluded.key_id`,
      [account, keyId],
    );
  }
}
