import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { migrations } from '../../../migrations/list.js';
import type { FileFault } from '../database/file-watch.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import type { DatabaseIdentityEntity } from './database-identity.entity.js';

/** The identity's table has one row, with id 1; no row ever remains under this id. */
const probeId = 0;
const LARGE_BYTES = 524_288;

/** The database's identity, its migrations, and whether it accepts writes. */
@Injectable()
export class SchemaService {
  constructor(
    private readonly lane: WriteLane,
    private readonly reader: Reader,
  ) {}

  /**
   * Keeps the first team that upstream reports; a team belongs to one region permanently
   * (docs/upstream/environments.md#regions-and-environments).
   */
  async bindTeam(tx: Tx, teamId: string): Promise<void> {
    await tx.execute('UPDATE database_identity SET team_id = ? WHERE id = 1 AND team_id IS NULL', [teamId]);
  }

  /** The team of this database; null until upstream has reported one. */
  async teamId(): Promise<string | null> {
    return (await this.identity())?.team_id ?? null;
  }

  /** When the first process started on this database, in epoch milliseconds. */
  async stampedAt(): Promise<number | null> {
    return (await this.identity())?.stamped_at ?? null;
  }

  /** Name of the database in the erasure journal; null if it has none. */
  async journalName(): Promise<string | null> {
    return (await this.identity())?.journal ?? null;
  }

  /** Keeps an existing name, because another process may have set one. */
  async nameInJournal(tx: Tx, name: string): Promise<void> {
    await tx.execute('UPDATE database_identity SET journal = ? WHERE id = 1 AND journal IS NULL', [name]);
  }

  async lastMigration(): Promise<string | null> {
    const sql = 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1';
    return (await this.reader.row<{ name: string }>(sql))?.name ?? null;
  }

  /** True if the migrations that ran are those that this program knows. */
  async isMigrated(): Promise<boolean> {
    const ran = await this.reader.few<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    return ran.length === migrations.length && migrations.every(({ name }, index) => ran[index]?.name === name);
  }

  /** How the database's files changed while they were open; null if they did not. */
  fileFault(): FileFault | null {
    return this.lane.lostFile?.fault ?? null;
  }

  /**
   * Inserts and deletes a row in one transaction. The row is never visible, but the commit must reach the disk. After a
   * write failed for lack of space, the row is as large as most writes until such a write succeeds. Rejects with the
   * store's error.
   */
  async probeWrite(now: number): Promise<void> {
    const { outOfRoom } = this.lane;
    await this.lane.run(async (tx) => {
      const sql = `INSERT INTO database_identity (id, region, environment, stamped_at) VALUES (?, ?, '', ?)`;
      await tx.execute(sql, [probeId, outOfRoom ? randomBytes(LARGE_BYTES).toString('hex') : '', now]);
      await tx.execute('DELETE FROM database_identity WHERE id = ?', [probeId]);
    });
    if (outOfRoom) this.lane.hasRoom();
  }

  private identity(): Promise<DatabaseIdentityEntity | null> {
    return this.reader.row('SELECT * FROM database_identity WHERE id = 1');
  }
}
