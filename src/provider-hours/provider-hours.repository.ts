import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { BulkShape, Tx } from '../database/tx.js';
import type { ProviderHourEntity } from './provider-hour.entity.js';

const hours: BulkShape = {
  table: 'provider_hours',
  columns: [
    { name: 'hour', type: 'int' },
    { name: 'provider', type: 'text' },
  ],
  conflict: ['hour', 'provider'],
  update: [],
};

export type ProviderHour = Pick<ProviderHourEntity, 'hour' | 'provider'>;

/** The table provider_hours: at most one row for each provider and hour. */
@Injectable()
export class ProviderHoursRepository {
  constructor(private readonly reader: Reader) {}

  async add(tx: Tx, added: readonly ProviderHour[]): Promise<void> {
    await tx.bulk(
      hours,
      added.flatMap(({ hour, provider }) => [hour, provider]),
    );
  }

  async forgetBefore(tx: Tx, hour: number): Promise<void> {
    await tx.execute('DELETE FROM provider_hours WHERE hour < ?', [hour]);
  }

  since(hour: number): Promise<ProviderHourEntity[]> {
    return this.reader.rows('SELECT hour, provider FROM provider_hours WHERE hour >= ?', [hour]);
  }
}
