import type { Dialect } from '../database/dialect.js';
import type { Reader } from '../database/reader.js';

/*
 * Views of a room for analysts: views on PostgreSQL, and the same columns and rows in a copy of a SQLite file
 * (src/storage/analytics). The columns are a promise to other programs: a change that breaks one of their queries needs
 * a schema of the next number beside this one. docs/data-dictionary.md is made from them.
 */

/** Schema of the views. */
export const viewSchema = 'analytics_v1';
/** Schema of the views that name people by the customer's ids, which have a grant of their own. */
export const identitySchema = 'analytics_v1_identity';

/** `time` is an instant, in a SQLite file ISO 8601 in UTC; `date` is text, `YYYY-MM-DD`; `json` is jsonb or text. */
export type ViewColumnType = 'integer' | 'number' | 'text' | 'boolean' | 'time' | 'date' | 'json';

export interface ViewColumn {
  readonly name: string;
  readonly type: ViewColumnType;
  readonly meaning: string;
  /** UCUM; null or missing if it has none. */
  readonly unit?: string | null;
  readonly loinc?: string | null;
  readonly sql: (by: ViewSql) => string;
}

export type TableColumn = Omit<ViewColumn, 'sql'>;

/** A value as both databases return it: a time as a Date or as ISO 8601 text, JSON as text. */
export type Cell = string | number | boolean | Date | null;
export type Row = readonly Cell[];

/**
 * A table of days of people that no view can show, because its rules are those of the program. It is in a dataset and
 * in a copy of a SQLite file beside the views.
 */
export interface DayTable {
  readonly name: string;
  /** Meaning of a row. */
  readonly about: string;
  /** Begin with `account_ref`, `resource` and `day`, which name a row. */
  readonly columns: readonly TableColumn[];
}

/** Computes the rows of such a table from one state of the database. Accounts are `accounts.id`. */
export interface DayRows {
  /** Everyone who may have rows, in order. */
  people(): Promise<number[]>;
  /** The first day on or after this one that may have rows; null if none has. */
  nextDay(account: number, day: string): Promise<string | null>;
  /** The rows of days, both inclusive. */
  of(account: number, from: string, to: string): Promise<readonly Row[]>;
}

export interface ComputedDays {
  readonly table: DayTable;
  readonly rows: (snapshot: Reader) => Promise<DayRows>;
  readonly stored: StoredDays;
}

/** The end of a run that brought stored rows up to date. */
export interface StoredRun {
  /** Cursor of the change feed up to which the rows are right. */
  readonly position: string;
  /** Names of the columns that the rows have. */
  readonly columns: string;
  readonly made_at: number;
}

/** Runs a statement of PostgreSQL with parameters `$1` and so on. */
export interface Session {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>;
}

/** Keeps the rows of such a table in PostgreSQL, where a view shows them. */
export interface StoredDays {
  readonly views: readonly View[];
  /** Null before the first complete run. */
  lastRun(snapshot: Reader): Promise<StoredRun | null>;
  /** Everyone who has rows. */
  people(snapshot: Reader): Promise<number[]>;
  /** Deletes the rows of a person on these days, or all if null. */
  clear(session: Session, account: number, days: readonly string[] | null): Promise<void>;
  /** Stores rows of a person in place of earlier ones; none of a person who was or is being erased. */
  add(session: Session, account: number, rows: readonly Row[]): Promise<void>;
  end(session: Session, run: StoredRun): Promise<void>;
}

export interface View {
  readonly name: string;
  /** True: in the schema of its own. */
  readonly namesPeople?: true;
  /** Meaning of a row. */
  readonly about: string;
  readonly columns: readonly ViewColumn[];
  /** `FROM` and its joins. */
  readonly from: (by: ViewSql) => string;
  readonly where?: string;
  /** A total order of the rows in SQL, for files whose bytes depend on the rows alone. */
  readonly order: string;
  /** Absent: a dataset has its rows in one file. */
  readonly cut?: ViewCut;
}

export interface ViewQuestion {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** How a dataset of files (src/storage/analytics) is cut: a file for a resource and day. */
export interface ViewCut {
  /** The kind of change that says which rows changed. */
  readonly change: 'samples' | 'sample_hours' | 'summary';
  /** Columns of the view that the names of folders have, so that the files do not. */
  readonly folders: readonly ('resource' | 'day')[];
  /** The resource of all its rows, or a SELECT of the names of its resources as `name`. */
  readonly resource: string | { readonly sql: string };
  /** SELECT of the time in milliseconds, or of the day as text, as `at`: of the first row on or after a day. */
  readonly first: (resource: string, day: string) => ViewQuestion;
  /** Condition of the rows of a resource and day; day null: rows without one. */
  readonly rows: (resource: string, day: string | null) => ViewQuestion;
  /** SELECT of the days as `day` that a record of an account is on. Absent: the change itself has its times. */
  readonly dayOf?: string;
}

/** Differences between the two databases in the SELECT of a view. */
export interface ViewSql {
  readonly dialect: Dialect;
  /** The instant of epoch milliseconds. */
  time(ms: string): string;
  /** A column or condition that is 0, 1 or a truth value, as a truth value. */
  isTrue(condition: string): string;
  /**
   * The JSON of a text column, read once a row. PostgreSQL refuses NUL and halves of surrogate pairs, which JSON may
   * escape; they become question marks.
   */
  json(alias: string, column: string): JoinedJson;
  /** The objects in a list of such a JSON. */
  elements(alias: string, object: string, field: string): JoinedElements;
  /** The field of such an object; null if it has another type than asked. */
  field(object: string, path: readonly string[], type: 'number' | 'text' | 'boolean'): string;
  /** The field as text, if it is a text or a number. */
  words(object: string, path: readonly string[]): string;
  /** The object without fields of its top level. */
  without(object: string, fields: readonly string[]): string;
  /** The number in a result such as `< 5.2`, and its comparator; null if the text says anything else. */
  measured(text: string): string;
  comparator(text: string): string;
}

export interface JoinedJson {
  /** Follows the FROM; may be empty. */
  readonly join: string;
  /** Expression of the object. */
  readonly object: string;
}

export interface JoinedElements extends JoinedJson {
  /** Place of the element in the list, from 0. */
  readonly place: string;
}

/** A result of up to fifteen digits, which may be a bound. Both databases and FHIR read results by this one rule. */
const measuredText = /^\s*([<>]=?)?\s*([-+]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*$/;

export interface Measured {
  readonly value: number;
  readonly comparator: '<' | '<=' | '>' | '>=' | null;
}

/** The number that a result states; null if it is not one number. */
export function measuredIn(text: string): Measured | null {
  const [, comparator, digits] = measuredText.exec(text) ?? [];
  if (digits === undefined) return null;
  return { value: Number(digits), comparator: (comparator ?? null) as Measured['comparator'] };
}

const keysOf = (path: readonly string[]): string => `'{${path.join(',')}}'`;
const pathOf = (path: readonly string[]): string => `'$.${path.join('.')}'`;
/** Escapes in JSON text that PostgreSQL cannot store: JSON.stringify writes whole pairs as themselves. */
const unstorable = String.raw`((?:[^\\]|^)(?:\\\\)*)(?:\\u(?:0000|d[89a-f][0-9a-f]{2}))+`;
const number = String.raw`[-+]?[0-9]{1,15}(?:\.[0-9]{1,15})?`;

const postgres: ViewSql = {
  dialect: 'postgres',
  time: (ms) => `to_timestamp(${ms} / 1000.0)`,
  isTrue: (condition) => `COALESCE((${condition})::boolean, false)`,
  json: (alias, column) => ({
    join: String.raw`CROSS JOIN LATERAL (SELECT (CASE WHEN ${column} ~ '\\u(0000|d[89a-f])'
      THEN regexp_replace(${column}, '${unstorable}', '\1?', 'g') ELSE ${column} END)::jsonb AS object OFFSET 0) ${alias}`,
    object: `${alias}.object`,
  }),
  elements: (alias, object, field) => ({
    join: `CROSS JOIN LATERAL (SELECT each.value AS object, each.ordinality - 1 AS place
      FROM jsonb_array_elements(CASE WHEN jsonb_typeof(${object} -> '${field}') = 'array'
        THEN ${object} -> '${field}' ELSE '[]'::jsonb END) WITH ORDINALITY AS each (value, ordinality)
      WHERE jsonb_typeof(each.value) = 'object') ${alias}`,
    object: `${alias}.object`,
    place: `${alias}.place`,
  }),
  field: (object, path, type) => {
    const found = `${object} #>> ${keysOf(path)}`;
    const cast = { number: `(${found})::double precision`, boolean: `(${found})::boolean`, text: found }[type];
    const word = type === 'text' ? 'string' : type;
    return `CASE WHEN jsonb_typeof(${object} #> ${keysOf(path)}) = '${word}' THEN ${cast} END`;
  },
  words: (object, path) =>
    `CASE WHEN jsonb_typeof(${object} #> ${keysOf(path)}) IN ('string', 'number') THEN ${object} #>> ${keysOf(path)} END`,
  without: (object, fields) => `(${object} - ARRAY[${fields.map((field) => `'${field}'`).join(', ')}])`,
  measured: (text) => String.raw`substring(${text} FROM '^\s*(?:[<>]=?)?\s*(${number})\s*$')::double precision`,
  comparator: (text) => String.raw`substring(${text} FROM '^\s*([<>]=?)\s*${number}\s*$')`,
};

const sqlite: ViewSql = {
  dialect: 'sqlite',
  time: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`,
  isTrue: (condition) => `COALESCE((${condition}), 0)`,
  json: (_, column) => ({ join: '', object: column }),
  elements: (alias, object, field) => ({
    join: `JOIN json_each(${object}, '$.${field}') ${alias} ON ${alias}.type = 'object'
      AND json_type(${object}, '$.${field}') = 'array'`,
    object: `${alias}.value`,
    place: `${alias}.key`,
  }),
  field: (object, path, type) => {
    const types = { number: `'integer', 'real'`, boolean: `'true', 'false'`, text: `'text'` }[type];
    return `CASE WHEN json_type(${object}, ${pathOf(path)}) IN (${types}) THEN json_extract(${object}, ${pathOf(path)}) END`;
  },
  words: (object, path) =>
    `CASE WHEN json_type(${object}, ${pathOf(path)}) IN ('text', 'integer', 'real')
      THEN CAST(json_extract(${object}, ${pathOf(path)}) AS text) END`,
  without: (object, fields) => `json_remove(${object}, ${fields.map((field) => pathOf([field])).join(', ')})`,
  measured: (text) => `measured_value(${text})`,
  comparator: (text) => `measured_comparator(${text})`,
};

export const viewSql: Readonly<Record<Dialect, ViewSql>> = { postgres, sqlite };

type Meaning = Pick<ViewColumn, 'unit' | 'loinc'>;

/** A column of a table, or an expression that is the same on both databases. */
export function column(
  name: string,
  type: ViewColumnType,
  sql: string,
  meaning: string,
  { unit = null, loinc = null }: Meaning = {},
): ViewColumn {
  const shown = (by: ViewSql): string => {
    if (type === 'time') return by.time(sql);
    return type === 'boolean' ? by.isTrue(sql) : sql;
  };
  return { name, type, meaning, unit, loinc, sql: shown };
}

/** The person, whom only the view `accounts` names. */
export function accountRef(sql: string): ViewColumn {
  return column('account_ref', 'integer', sql, 'The person; `accounts` has the id.');
}

/** The SELECT of a view. */
export function selectOf({ columns, from, where }: View, dialect: Dialect): string {
  const by = viewSql[dialect];
  const shown = columns.map(({ name, sql }) => `${sql(by)} AS ${name}`);
  return `SELECT ${shown.join(',\n  ')}\n${from(by)}${where === undefined ? '' : `\nWHERE ${where}`}`;
}
