import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { ChangeConsumerEntity } from './change-consumer.entity.js';

const consumers = shapeOf(ChangeConsumerEntity);

@Injectable()
export class ConsumersRepository {
  constructor(private readonly reader: Reader) {}

  list(): Promise<ChangeConsumerEntity[]> {
    return this.reader.rows('SELECT * FROM change_consumers ORDER BY name');
  }

  async store(tx: Tx, consumer: ChangeConsumerEntity): Promise<void> {
    await saveRows(tx, consumers, [consumer]);
  }

  async find(tx: Tx, name: string): Promise<ChangeConsumerEntity | undefined> {
    const sql = 'SELECT * FROM change_consumers WHERE name = ?';
    return (await tx.rows<ChangeConsumerEntity>(sql, [name]))[0];
  }

  /** Number of consumers, of all keys and of one. */
  async counts(tx: Tx, reportedBy: string): Promise<{ all: number; own: number }> {
    const sql = `SELECT COUNT(*) AS "all", COUNT(CASE WHEN reported_by = ? THEN 1 END) AS own FROM change_consumers`;
    const [row] = await tx.rows<{ all: number; own: number }>(sql, [reportedBy]);
    return row ?? { all: 0, own: 0 };
  }

  /** False if no consumer has this name. */
  async delete(tx: Tx, name: string): Promise<boolean> {
    return (await tx.execute('DELETE FROM change_consumers WHERE name = ?', [name])) > 0;
  }
}
