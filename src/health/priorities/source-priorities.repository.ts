import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { PreferredSource } from './priority-rule.js';
import type { PriorityOrigin } from './source-priority.entity.js';

/** A list as it is stored. */
export interface StoredPriorities {
  readonly data_type: string;
  readonly origin: PriorityOrigin | 'account';
  readonly sources: readonly PreferredSource[];
  readonly unreadable: number;
  readonly changed_at: number;
  readonly changed_by: string | null;
}

type Row = Omit<StoredPriorities, 'sources'> & { readonly sources: string };

const columns = 'data_type, origin, sources, unreadable, changed_at, changed_by';
const ofAccount = `SELECT data_type, 'account' AS origin, sources, 0 AS unreadable, changed_at, changed_by
  FROM account_source_priorities WHERE account_id = ?`;

@Injectable()
export class SourcePrioritiesRepository {
  constructor(private readonly reader: Reader) {}

  /** All lists of the deployment and, if one is given, of an account; of one data type, or of all for null. */
  async lists(account: number | null, dataType: string | null): Promise<StoredPriorities[]> {
    const [where, and, values] =
      dataType === null ? ['', '', []] : ['WHERE data_type = ?', 'AND data_type = ?', [dataType]];
    const shared = `SELECT ${columns} FROM source_priorities ${where}`;
    const rows = await (account === null
      ? this.reader.rows<Row>(shared, values)
      : this.reader.rows<Row>(`${shared} UNION ALL ${ofAccount} ${and}`, [...values, account, ...values]));
    return rows.map((row) => ({ ...row, sources: JSON.parse(row.sources) as PreferredSource[] }));
  }

  async store(
    tx: Tx,
    list: Omit<StoredPriorities, 'origin'> & { origin: PriorityOrigin; listed: readonly unknown[] | null },
  ): Promise<void> {
    const { data_type, origin, sources, listed, unreadable, changed_at, changed_by } = list;
    await tx.execute(
      `INSERT INTO source_priorities (${columns}, listed) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (data_type, origin) DO UPDATE SET sources = excluded.sources, unreadable = excluded.unreadable,
        changed_at = excluded.changed_at, changed_by = excluded.changed_by, listed = excluded.listed`,
      [
        ...[data_type, origin, JSON.stringify(sources), unreadable, changed_at, changed_by],
        listed === null ? null : JSON.stringify(listed),
      ],
    );
  }

  async storeOf(
    tx: Tx,
    account: number,
    { data_type, sources, changed_at, changed_by }: Omit<StoredPriorities, 'origin' | 'unreadable'>,
  ): Promise<void> {
    await tx.execute(
      `INSERT INTO account_source_priorities (account_id, data_type, sources, changed_at, changed_by)
       VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (account_id, data_type) DO UPDATE SET sources = excluded.sources,
        changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
      [account, data_type, JSON.stringify(sources), changed_at, changed_by],
    );
  }

  /** Removes the list of an account, or the operator's for null. */
  async remove(tx: Tx, account: number | null, dataType: string): Promise<void> {
    await (account === null
      ? tx.execute(`DELETE FROM source_priorities WHERE data_type = ? AND origin = 'operator'`, [dataType])
      : tx.execute('DELETE FROM account_source_priorities WHERE account_id = ? AND data_type = ?', [
          account,
          dataType,
        ]));
  }
}
