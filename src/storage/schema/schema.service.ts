import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { migrations } from '../../../migrations/list.js';
import { type EntityShape, shapeOf } from '../database/columns.js';
import type { SqlInput } from '../database/dialect.js';
import type { FileFault } from '../database/file-watch.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { Declarations } from '../declarations/declarations.js';
import type { DatabaseIdentityEntity } from './database-identity.entity.js';
import { hiddenRows, type Read } from './postgres-facts.js';
import { MIGRATION_LOCK, numbersKept, sequencesBehind, setForward } from './sequences.js';

/** The identity's table has one row, with id 1; no row ever remains under this id. */
const probeId = 0;
const LARGE_BYTES = 524_288;

/** The database's identity, its migrations, and whether it accepts writes. */
@Injectable()
export class SchemaService {
  private readonly shapes: readonly EntityShape<Record<string, unknown>>[];
  private readonly tables: readonly string[];
  /** Tables whose rows the database numbers. */
  private readonly numbered: ReadonlySet<string>;

  constructor(
    private readonly lane: WriteLane,
    private readonly reader: Reader,
    declarations: Declarations,
  ) {
    this.shapes = declarations.entities.map((entity) => shapeOf(entity as new () => Record<string, unknown>));
    this.tables = this.shapes.map(({ table }) => table);
    const isNumbered = ({ columns, conflict }: EntityShape<Record<string, unknown>>): boolean =>
      conflict.length === 1 && columns.every(({ name }) => name !== conflict[0]);
    this.numbered = new Set(this.shapes.filter(isNumbered).map(({ table }) => table));
  }

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

  /** Number of writes that the store refused since the start. */
  get refusals(): number {
    return this.lane.refusals;
  }

  /** Why rows of the tables may be hidden from the role; null if they are not. Then nothing is read or written. */
  async lookForHiddenRows(): Promise<string | null> {
    const found = await hiddenRows(
      readOf((sql, values) => this.reader.catalog(sql, values)),
      this.tables,
    );
    this.reader.unfit = found;
    return found;
  }

  /** See {@link lookForHiddenRows}, as of the last call. */
  get hiddenBecause(): string | null {
    return this.reader.unfit;
  }

  /** The table in which a generated number was taken since the last call; null if none. */
  takeRepeatedNumber(): string | null {
    const table = this.lane.repeatedIn;
    this.lane.repeatedIn = null;
    return table !== null && this.numbered.has(table) ? table : null;
  }

  /** Sets sequences forward that stand behind their tables, and returns their names. */
  async setSequencesForward(): Promise<string[]> {
    return this.lane.run(async (tx) => {
      const read = readOf((sql, values) => tx.rows(sql, values));
      await read('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const behind = await sequencesBehind(read, this.tables, numbersKept(this.shapes));
      await setForward(read, behind);
      return behind.map(({ sequence }) => sequence);
    });
  }

  /** Changes of the database's files while they were open; null if they did not. */
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

/** PostgreSQL reads a list of names from a text. */
function readOf(rows: <T>(sql: string, values: readonly SqlInput[]) => Promise<T[]>): Read {
  const text = (value: unknown): SqlInput => (Array.isArray(value) ? `{${value.join(',')}}` : (value as SqlInput));
  return (sql, values = []) => rows(sql, values.map(text));
}
