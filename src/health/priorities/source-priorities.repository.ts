import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { PreferredSource } from './priority-rule.js';
import { AccountSourcePriorityEntity, type PriorityOrigin, SourcePriorityEntity } from './source-priority.entity.js';

/** A stored list. */
export interface StoredPriorities {
  readonly data_type: string;
  readonly origin: PriorityOrigin | 'account';
  readonly sources: readonly PreferredSource[];
  readonly unreadable: number;
  readonly changed_at: number;
  readonly changed_by: string | null;
}

type Row = Omit<StoredPriorities, 'sources'> & { readonly sources: string };

const shared = shapeOf(SourcePriorityEntity);
const ofAccounts = shapeOf(AccountSourcePriorityEntity);
const columns = 'data_type, origin, sources, unreadable, changed_at, changed_by';
const ofAccount = `SELECT data_type, 'account' AS origin, sources, 0 AS unreadable, changed_at, changed_by
  FROM account_source_priorities WHERE account_id = ?`;

@Injectable()
export class SourcePrioritiesRepository {
  constructor(private readonly reader: Reader) {}

  /** Lists of the deployment and, unless null, of an account; for one data type, or for all if null. */
  async lists(
    account: number | null,
    dataType: string | null,
    source: Queryable = this.reader,
  ): Promise<StoredPriorities[]> {
    const [where, and, values] =
      dataType === null ? ['', '', []] : ['WHERE data_type = ?', 'AND data_type = ?', [dataType]];
    const ofAll = `SELECT ${columns} FROM source_priorities ${where}`;
    const rows = await (account === null
      ? source.rows<Row>(ofAll, values)
      : source.rows<Row>(`${ofAll} UNION ALL ${ofAccount} ${and}`, [...values, account, ...values]));
    return rows.map((row) => ({ ...row, sources: JSON.parse(row.sources) as PreferredSource[] }));
  }

  async store(tx: Tx, list: StoredPriorities & { origin: PriorityOrigin }): Promise<void> {
    await saveRows(tx, shared, [{ ...list, sources: JSON.stringify(list.sources) }]);
  }

  async storeOf(
    tx: Tx,
    account: number,
    list: Pick<AccountSourcePriorityEntity, 'data_type' | 'changed_at' | 'changed_by'> & {
      readonly sources: readonly PreferredSource[];
    },
  ): Promise<void> {
    await saveRows(tx, ofAccounts, [{ ...list, account_id: account, sources: JSON.stringify(list.sources) }]);
  }

  /** Removes the list of an account, or the operator's if `account` is null. */
  async remove(tx: Tx, account: number | null, dataType: string): Promise<void> {
    await (account === null
      ? tx.execute(`DELETE FROM source_priorities WHERE data_type = ? AND origin = 'operator'`, [dataType])
      : tx.execute('DELETE FROM account_source_priorities WHERE account_id = ? AND data_type = ?', [
          account,
          dataType,
        ]));
  }
}
