import type { LeasedRow } from '../../../../src/storage/work/lease.js';
import { LeasedRows } from '../../../../src/storage/work/leased-rows.js';
import type { TestStore } from '../../../support/test-store.js';

/** A row of a table that only tests have: a key of two columns, and one column of its own. */
export interface Chore extends LeasedRow {
  readonly room: string;
  readonly number: number;
  readonly note: string | null;
  readonly error_code: string | null;
}

export const chores = new LeasedRows<Chore>({ table: 'chores', key: ['room', 'number'] });

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
