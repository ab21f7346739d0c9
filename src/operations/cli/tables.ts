import { type CsvCell, csvLine } from '../../platform/platform/csv.js';

export type Row = Readonly<Record<string, unknown>>;

interface Column {
  readonly name: string;
  readonly valueOf: (row: Row) => unknown;
}

export interface TableForm {
  readonly csv?: true | undefined;
  /** People read it: with a heading and aligned columns. */
  readonly onTerminal: boolean;
}

/**
 * Rows as CSV, as an aligned table, or as lines with tabs between the cells. A column is a path into the row, such as
 * `retirement.successor`; a path through a list of objects, such as `runs.state`, makes a row of each of them.
 */
export function tableLines(rows: readonly Row[], paths: readonly string[] | undefined, form: TableForm): string[] {
  const first = rows[0];
  const columns = paths ? paths.map((path) => columnOf(path, first)) : scalarColumns(rows);
  const names = columns.map(({ name }) => name);
  const cells = expanded(rows, paths).map((row) => columns.map(({ valueOf }) => cellOf(valueOf(row))));
  if (form.csv) return [names, ...cells].map((line) => `${csvLine(line)}\r`);
  const texts = cells.map((line) => line.map((cell) => (cell === null ? '-' : String(cell))));
  return form.onTerminal ? alignedTable([names, ...texts]) : texts.map((line) => line.join('\t'));
}

/** The list of objects in a row, through which a path leads. */
function listOn(path: string, row: Row | undefined): string | undefined {
  const [head = ''] = path.split('.');
  return path.includes('.') && Array.isArray(row?.[head]) ? head : undefined;
}

function expanded(rows: readonly Row[], paths: readonly string[] = []): Row[] {
  return rows.flatMap((row) => {
    const list = paths.map((path) => listOn(path, row)).find((name) => name !== undefined);
    return list === undefined ? [row] : (row[list] as readonly Row[]).map((each) => ({ ...row, [list]: each }));
  });
}

function columnOf(path: string, first: Row | undefined): Column {
  const steps = path.split('.');
  const name = (listOn(path, first) === undefined ? steps : steps.slice(1)).join('_');
  return { name, valueOf: (row) => steps.reduce<unknown>((value, step) => (value as Row | null)?.[step], row) };
}

/** The fields that are no objects. */
function scalarColumns(rows: readonly Row[]): Column[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const isShown = (value: unknown): boolean => isScalar(value) || isScalarList(value);
  return [...names]
    .filter((name) => rows.every((row) => isShown(row[name])))
    .map((name) => ({ name, valueOf: (row) => row[name] }));
}

function alignedTable(lines: readonly string[][]): string[] {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * An object as `name  value` lines, or as the bare value if only one is wanted. Lists of objects follow, one line each
 * that begins with the name of the list.
 */
export function objectLines(object: Row, paths?: readonly string[]): string[] {
  const [only, ...others] = paths ?? [];
  if (only !== undefined && others.length === 0) return [String(cellOf(object[only]))];
  const chosen = paths ? Object.fromEntries(paths.map((path) => [path, object[path]])) : object;
  const entries = Object.entries(chosen).flatMap(([name, value]) => flat(name, value));
  const lists = Object.entries(chosen).filter(([, value]) => isRowList(value));
  return [
    ...aligned(Object.fromEntries(entries)),
    ...lists.flatMap(([name, rows]) =>
      tableLines(rows as readonly Row[], undefined, { onTerminal: false }).map((line) => `${name}\t${line}`),
    ),
  ];
}

/** `name  value` lines with aligned values. */
export function aligned(pairs: Readonly<Record<string, string | number | null>>): string[] {
  const names = Object.keys(pairs);
  const width = Math.max(0, ...names.map((name) => name.length));
  return Object.entries(pairs).map(([name, value]) => `${name.padEnd(width)}  ${value ?? '-'}`);
}

function flat(name: string, value: unknown): [string, string | number | null][] {
  if (isRowList(value)) return [];
  if (isScalar(value) || Array.isArray(value)) return [[name, textOf(cellOf(value))]];
  const entries = Object.entries(value as Row);
  if (!entries.every(([, each]) => isScalar(each)))
    return entries.flatMap(([key, each]) => flat(`${name}.${key}`, each));
  return [[name, entries.map(([key, each]) => `${key} ${textOf(cellOf(each)) ?? '-'}`).join(', ') || null]];
}

function textOf(cell: CsvCell): string | number | null {
  return typeof cell === 'boolean' ? String(cell) : cell;
}

/** A list of sources is `oura/ring withings`; what has no short form is JSON. */
function cellOf(value: unknown): CsvCell {
  if (value === undefined || value === null) return null;
  if (isScalar(value)) return value;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(wordOf).join(' ');
  return wordOf(value);
}

function wordOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const values = Object.values(value).filter((each) => each !== null);
  return values.every(isScalar) ? values.join('/') : JSON.stringify(value);
}

function isScalar(value: unknown): value is CsvCell | undefined {
  return value === null || typeof value !== 'object';
}

function isScalarList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isScalar);
}

export function isRowList(value: unknown): boolean {
  return Array.isArray(value) && value.some((each) => !isScalar(each));
}
