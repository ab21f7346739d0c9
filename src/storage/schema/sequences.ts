import { isOurs, type Read } from './postgres-facts.js';

/*
 * PostgreSQL numbers rows by sequences, which know nothing of the rows. Replication of rows, dumps of data alone and
 * TRUNCATE ... RESTART leave a sequence behind its table: it would give numbers again.
 */

interface Sequence {
  readonly sequence: string;
  readonly table: string;
  readonly column: string;
  /** Last number that the sequence gave; 0 if none. */
  readonly given: number;
}

/** A sequence that would give a number again. */
export interface SequenceBehind {
  readonly sequence: string;
  /** The highest number that is known to have been given. */
  readonly highest: number;
}

interface Kept {
  readonly table: string;
  readonly column: string;
  readonly where?: string;
}

/** By table: where other tables keep its numbers after its rows were deleted. */
export type NumbersKept = Readonly<Record<string, readonly Kept[]>>;

/** Any number that only we use: who changes tables or sequences holds this lock. */
export const MIGRATION_LOCK = 748_300_121;

export interface ColumnNames {
  readonly table: string;
  readonly columns: readonly { readonly name: string }[];
}

/**
 * Numbers of erased people remain in columns of this name; those of messages and pulls in what was observed through
 * them, which outlives them (`TRUNCATE messages RESTART IDENTITY`).
 */
export function numbersKept(tables: readonly ColumnNames[]): NumbersKept {
  const having = (column: string): Kept[] =>
    tables.filter(({ columns }) => columns.some(({ name }) => name === column)).map(({ table }) => ({ table, column }));
  const observed = having('ref').filter(({ table }) => table === 'observations');
  return {
    accounts: having('account_ref'),
    messages: observed.map((kept) => ({ ...kept, where: `kind = 'message'` })),
    sync_tasks: observed.map((kept) => ({ ...kept, where: `kind = 'sync'` })),
  };
}

/** Sequences that stand behind the numbers in their tables, or behind those in `kept`. */
export async function sequencesBehind(
  read: Read,
  tables: readonly string[],
  kept: NumbersKept,
): Promise<SequenceBehind[]> {
  const sequences = await read<Sequence>(
    `SELECT s.oid::regclass::text AS sequence, t.relname AS table, a.attname AS column,
       COALESCE(pg_sequence_last_value(s.oid), 0) AS given
     FROM pg_class s JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.deptype = 'a'
       JOIN pg_class t ON t.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
     WHERE s.relkind = 'S' AND ${isOurs('t')}
     ORDER BY s.oid`,
    [tables],
  );
  if (sequences.length === 0) return [];
  const highest = ({ table, column }: Sequence): string => {
    const columns: readonly Kept[] = [{ table, column }, ...(kept[table] ?? [])];
    return `GREATEST(0, ${columns.map(maximum).join(', ')})`;
  };
  const [stored = []] = (
    await read<{ highest: string[] }>(`SELECT ARRAY[${sequences.map(highest).join(', ')}] AS highest`)
  ).map((row) => row.highest.map(Number));
  return sequences.flatMap(({ sequence, given }, index) => {
    const known = stored[index] ?? 0;
    return given < known ? [{ sequence, highest: known }] : [];
  });
}

function maximum({ table, column, where }: Kept): string {
  return `(SELECT MAX(${column}) FROM ${table}${where === undefined ? '' : ` WHERE ${where}`})`;
}

/**
 * Distance to the highest known number: numbers of rows that were deleted before are unknown and must not be given
 * again, because other rows may still name them.
 */
const NUMBERS_LEFT_OUT = 1_000_000;

/** Sets the sequences forward. Throws if the role may not. */
export async function setForward(read: Read, behind: readonly SequenceBehind[]): Promise<void> {
  for (const { sequence, highest } of behind) {
    await read('SELECT setval($1::regclass, $2)', [sequence, highest + NUMBERS_LEFT_OUT]);
  }
}
