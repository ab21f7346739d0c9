import type { Store } from '../../../../src/storage/database/store.js';

const sqlite = [
  'CREATE TABLE lives (left_over integer NOT NULL)',
  'INSERT INTO lives VALUES (0)',
  `CREATE TRIGGER erasures_die BEFORE UPDATE ON erasures WHEN (SELECT left_over FROM lives) = 0
   BEGIN SELECT RAISE(ABORT, 'died'); END`,
  'CREATE TRIGGER erasures_live AFTER UPDATE ON erasures BEGIN UPDATE lives SET left_over = left_over - 1; END',
];
const postgres = [
  'CREATE TABLE lives (left_over integer NOT NULL)',
  'INSERT INTO lives VALUES (0)',
  `CREATE FUNCTION erasures_die() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF (SELECT left_over FROM lives) = 0 THEN RAISE EXCEPTION 'died'; END IF;
     UPDATE lives SET left_over = left_over - 1;
     RETURN NEW;
   END $$`,
  'CREATE TRIGGER erasures_die BEFORE UPDATE ON erasures FOR EACH ROW EXECUTE FUNCTION erasures_die()',
];

/**
 * Simulates the death of the process for erasures: after a number of their steps none of their transactions commits,
 * not even a deferral. The remaining state equals that after a kill at that point.
 */
export class Deaths {
  private constructor(private readonly store: Store) {}

  static async prepare(store: Store): Promise<Deaths> {
    await store.lane.run(async (tx) => {
      for (const sql of store.dialect === 'sqlite' ? sqlite : postgres) await tx.execute(sql);
    });
    return new Deaths(store);
  }

  async liveFor(steps: number): Promise<void> {
    await this.store.lane.run((tx) => tx.execute('UPDATE lives SET left_over = ?', [steps]));
  }
}
