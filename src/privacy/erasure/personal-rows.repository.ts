import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { PersonalTable } from '../../storage/declarations/personal-data.js';
import { PersonalDataMap } from './personal-data-map.js';

/** Deletes and counts the rows of an account (`accounts.id`) in tables with personal data. */
@Injectable()
export class PersonalRowsRepository {
  constructor(
    private readonly reader: Reader,
    private readonly map: PersonalDataMap,
  ) {}

  /** Deletes up to `limit` rows; returns their number, which is 0 if none are left. */
  async deleteSome(tx: Tx, personal: PersonalTable, account: number, limit: number): Promise<number> {
    for (const condition of this.map.conditionsOf(personal)) {
      const deleted = await tx.execute(deletion(personal, condition), [account, limit]);
      if (deleted > 0) return deleted;
    }
    return 0;
  }

  /** Number of remaining rows by table; tables without rows are omitted. */
  async remaining(account: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const personal of this.map.tables) {
      const { table } = personal;
      for (const condition of this.map.conditionsOf(personal)) {
        const sql = `SELECT COUNT(*) AS count FROM ${table} WHERE ${condition}`;
        const [row] = await this.reader.rows<{ count: number }>(sql, [account]);
        if (row && row.count > 0) counts[table] = (counts[table] ?? 0) + row.count;
      }
    }
    return counts;
  }
}

function deletion({ table, key }: PersonalTable, condition: string): string {
  const columns = key.join(', ');
  const target = key.length === 1 ? columns : `(${columns})`;
  const found = `SELECT ${columns} FROM ${table} WHERE ${condition} LIMIT ?`;
  return `DELETE FROM ${table} WHERE ${target} IN (${found})`;
}
