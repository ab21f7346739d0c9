import type { Store } from '../../../../src/storage/database/store.js';

/** A table that takes nothing: the database refuses each write, and quotes the mark and, where it can, the row. */
export class BrokenTable {
  private readonly events = ['INSERT', 'UPDATE', 'DELETE'] as const;

  constructor(
    private readonly store: Store,
    private readonly table: string,
    private readonly mark: string,
  ) {}

  break(): Promise<void> {
    return this.run(this.store.dialect === 'sqlite' ? this.sqlite() : this.postgres());
  }

  mend(): Promise<void> {
    if (this.store.dialect === 'sqlite') return this.run(this.events.map((event) => `DROP TRIGGER canary_${event}`));
    return this.run([`DROP TRIGGER canary ON ${this.table}`, 'DROP FUNCTION canary']);
  }

  private sqlite(): string[] {
    return this.events.map(
      (event) =>
        `CREATE TRIGGER canary_${event} BEFORE ${event} ON ${this.table} BEGIN SELECT RAISE(ABORT, '${this.mark}'); END`,
    );
  }

  private postgres(): string[] {
    return [
      `CREATE FUNCTION canary() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION '${this.mark} %', NEW USING DETAIL = NEW::text, HINT = '${this.mark}'; END $$`,
      `CREATE TRIGGER canary BEFORE INSERT OR UPDATE OR DELETE ON ${this.table}
       FOR EACH ROW EXECUTE FUNCTION canary()`,
    ];
  }

  private run(statements: readonly string[]): Promise<void> {
    return this.store.lane.run(async (tx) => {
      for (const statement of statements) await tx.orm.query(statement);
    });
  }
}
