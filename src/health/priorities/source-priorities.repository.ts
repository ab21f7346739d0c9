import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { PreferredSource } from './priority-rule.js';
import { SourcePriorityEntity } from './source-priority.entity.js';

/** A stored list. */
export interface StoredPriorities extends Omit<SourcePriorityEntity, 'account_id' | 'sources'> {
  readonly sources: readonly PreferredSource[];
}

const shape = shapeOf(SourcePriorityEntity);
/** `accounts.id` of a list for all accounts. */
const EVERYBODY = 0;

/** The source_priorities table. An account of null means the lists of the deployment. */
@Injectable()
export class SourcePrioritiesRepository {
  constructor(private readonly reader: Reader) {}

  /** Lists of the deployment and, unless null, of an account; for one data type, or for all if null. */
  async lists(
    account: number | null,
    dataType: string | null,
    source: Queryable = this.reader,
  ): Promise<StoredPriorities[]> {
    const [and, values] = dataType === null ? ['', []] : ['AND data_type = ?', [dataType]];
    const rows = await source.rows<SourcePriorityEntity>(
      `SELECT * FROM source_priorities WHERE account_id IN (?, ?) ${and}`,
      [EVERYBODY, account ?? EVERYBODY, ...values],
    );
    return rows.map((row) => ({ ...row, sources: JSON.parse(row.sources) as PreferredSource[] }));
  }

  async store(tx: Tx, account: number | null, list: StoredPriorities): Promise<void> {
    const row = { ...list, account_id: account ?? EVERYBODY, sources: JSON.stringify(list.sources) };
    await saveRows(tx, shape, [row]);
  }

  /** Removes a list that an operator set. */
  async remove(tx: Tx, account: number | null, dataType: string): Promise<void> {
    await tx.execute(`DELETE FROM source_priorities WHERE account_id = ? AND data_type = ? AND origin <> 'upstream'`, [
      account ?? EVERYBODY,
      dataType,
    ]);
  }
}
