import { Injectable } from '@nestjs/common';
import { migrations } from '../database/migrations.js';
import { Reader } from '../database/reader.js';
import { WriteLane } from '../database/write-lane.js';

/** `instance` has one row, with id 1; no row ever stays under this one. */
const probeId = 0;

@Injectable()
export class StoreCheckRepository {
  constructor(
    private readonly lane: WriteLane,
    private readonly reader: Reader,
  ) {}

  /**
   * Writes a row and takes it away again in one transaction: nobody ever sees it, yet the commit has to reach the disk
   * as any other. Rejects with the store's error.
   */
  async write(now: number): Promise<void> {
    await this.lane.run(async (tx) => {
      await tx.execute(`INSERT INTO instance (id, region, environment, stamped_at) VALUES (?, '', '', ?)`, [
        probeId,
        now,
      ]);
      await tx.execute('DELETE FROM instance WHERE id = ?', [probeId]);
    });
  }

  /** True when the migrations that ran are those this program knows. */
  async isMigrated(): Promise<boolean> {
    const ran = await this.reader.rows<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    return ran.length === migrations.length && migrations.every(({ name }, index) => ran[index]?.name === name);
  }
}
