import { Injectable } from '@nestjs/common';
import { Reader } from '../../storage/database/reader.js';
import type { RecoveryEntity } from './recovery.entity.js';

/** The read side of recoveries. */
@Injectable()
export class RecoveryReader {
  constructor(private readonly reader: Reader) {}

  find(id: number): Promise<RecoveryEntity | null> {
    return this.reader.row('SELECT * FROM recoveries WHERE id = ?', [id]);
  }

  /** Newest first. */
  page(beforeId: number, limit: number): Promise<RecoveryEntity[]> {
    return this.reader.rows('SELECT * FROM recoveries WHERE id < ? ORDER BY id DESC LIMIT ?', [beforeId, limit]);
  }

  open(): Promise<RecoveryEntity[]> {
    return this.reader.few('SELECT * FROM recoveries WHERE finished_at IS NULL ORDER BY id');
  }
}
