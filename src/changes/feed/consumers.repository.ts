import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { BulkShape, Tx } from '../../storage/database/tx.js';
import type { ChangeConsumerEntity } from './change-consumer.entity.js';

const shape: BulkShape = {
  table: 'change_consumers',
  columns: [
    { name: 'name', type: 'text' },
    { name: 'feed', type: 'text' },
    { name: 'number', type: 'int' },
    { name: 'at', type: 'int' },
    { name: 'reported_by', type: 'text' },
    { name: 'reported_at', type: 'int' },
  ],
  conflict: ['name'],
  update: ['feed', 'number', 'at', 'reported_by', 'reported_at'],
};

@Injectable()
export class ConsumersRepository {
  constructor(private readonly reader: Reader) {}

  list(): Promise<ChangeConsumerEntity[]> {
    return this.reader.rows('SELECT * FROM change_consumers ORDER BY name');
  }

  async store(tx: Tx, { name, feed, number, at, reported_by, reported_at }: ChangeConsumerEntity): Promise<void> {
    await tx.bulk(shape, [name, feed, number, at, reported_by, reported_at]);
  }

  /** False if there is none with this name. */
  async delete(tx: Tx, name: string): Promise<boolean> {
    return (await tx.execute('DELETE FROM change_consumers WHERE name = ?', [name])) > 0;
  }
}
