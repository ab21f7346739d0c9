import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../../../src/storage/database/columns.js';
import { LeaseColumns } from '../../../../src/storage/work/lease-columns.js';
import { LeasedRows } from '../../../../src/storage/work/leased-rows.js';
import type { TestStore } from '../../../support/test-store.js';

/** A row of a table that only tests have: a key of two columns, and one column of its own. */
@Entity('chores')
export class Chore extends LeaseColumns {
  @TextKey() room: string;
  @IntKey() number: number;
  @TextColumn({ nullable: true }) note: string | null;
  @TextColumn({ nullable: true }) error_code: string | null;
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
}

export const chores = new LeasedRows(Chore);

export async function createChores(store: TestStore): Promise<void> {
  await store.lane.run((tx) =>
    tx.execute(`CREATE TABLE chores (
      room text NOT NULL, number bigint NOT NULL, note text, error_code text, due_at bigint, attempts bigint NOT NULL,
      waits bigint NOT NULL, lease_owner text, lease_until bigint, PRIMARY KEY (room, number))`),
  );
}

export async function insertChore(store: TestStore, number: number, dueAt: number | null = 10): Promise<void> {
  await store.lane.run((tx) =>
    tx.execute(`INSERT INTO chores (room, number, due_at, attempts, waits) VALUES ('hall', ?, ?, 0, 0)`, [
      number,
      dueAt,
    ]),
  );
}

export function storedChores(store: TestStore): Promise<Chore[]> {
  return store.reader.rows('SELECT * FROM chores ORDER BY number');
}
