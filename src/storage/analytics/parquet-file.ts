import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead, type SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { giveToService } from '../../platform/platform/private-file.js';
import { DAY_MS, startOfDate } from '../../platform/platform/time.js';
import { MAX_PARQUET_ROWS_A_GROUP, MAX_PARQUET_TEXT_A_GROUP } from '../database/tuning.js';
import type { Cell, Row, TableColumn, ViewColumnType } from '../declarations/views.js';

/*
 * A file of a dataset. Rows are written in groups, so that memory does not grow with the file; the same rows give the
 * same bytes.
 */

export interface WrittenFile {
  readonly rows: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

type Stored = bigint | number | string | boolean | null;

interface StoredType {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly store: (cell: Exclude<Cell, null>) => Stored;
}

const text: StoredType = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  store: String,
};

const types: Readonly<Record<ViewColumnType, StoredType>> = {
  text,
  json: text,
  integer: { element: { type: 'INT64' }, store: (cell) => BigInt(cell as number) },
  number: { element: { type: 'DOUBLE' }, store: Number },
  // SQLite has 0 and 1.
  boolean: { element: { type: 'BOOLEAN' }, store: Boolean },
  time: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    store: (cell) => BigInt(new Date(cell as string | Date).getTime()),
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    store: (cell) => startOfDate(cell as string) / DAY_MS,
  },
};

/**
 * Writes rows to a new file for its owner alone and syncs it. Returns null, without a file, if there are none. `note`
 * names the schema inside the file.
 */
export async function writeParquet(
  path: string,
  columns: readonly TableColumn[],
  pages: AsyncIterable<readonly Row[]>,
  note: string,
): Promise<WrittenFile | null> {
  const file = new HashedFile(path);
  try {
    const writer = new ParquetWriter({
      writer: file,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
      kvMetadata: [{ key: 'pulsekeep.schema', value: note }],
      createdBy: 'pulsekeep',
    });
    const group = new Group(columns);
    let rows = 0;
    for await (const page of pages) {
      for (const row of page) {
        group.add(row);
        if (group.isFull) await writer.write({ columnData: group.taken(), rowGroupSize: MAX_PARQUET_ROWS_A_GROUP });
      }
      rows += page.length;
    }
    if (group.rows > 0) await writer.write({ columnData: group.taken(), rowGroupSize: MAX_PARQUET_ROWS_A_GROUP });
    await writer.finish();
    const { sha256, bytes } = file.close();
    if (rows === 0) rmSync(path);
    return rows === 0 ? null : { rows, bytes, sha256 };
  } catch (error) {
    file.close();
    throw error;
  }
}

const elementOf = ({ name, type }: TableColumn): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...types[type].element,
});

/** Rows that are not written yet, by column. */
class Group {
  rows = 0;
  private text = 0;
  private data: Stored[][];

  constructor(private readonly columns: readonly TableColumn[]) {
    this.data = columns.map(() => []);
  }

  get isFull(): boolean {
    return this.rows >= MAX_PARQUET_ROWS_A_GROUP || this.text >= MAX_PARQUET_TEXT_A_GROUP;
  }

  add(row: Row): void {
    this.rows++;
    this.columns.forEach(({ type }, place) => {
      const cell = row[place] ?? null;
      if (typeof cell === 'string') this.text += cell.length;
      this.data[place]?.push(cell === null ? null : types[type].store(cell));
    });
  }

  taken(): { name: string; data: Stored[] }[] {
    const taken = this.columns.map(({ name }, place) => ({ name, data: this.data[place] ?? [] }));
    this.data = this.columns.map(() => []);
    this.rows = 0;
    this.text = 0;
    return taken;
  }
}

/** A writer of bytes that keeps only those of one group in memory. */
class HashedFile extends ByteWriter {
  private readonly file: number;
  private readonly hash = createHash('sha256');

  constructor(path: string) {
    super();
    this.file = openSync(path, 'wx', 0o600);
    giveToService(path);
  }

  flush(): void {
    const bytes = this.getBytes();
    this.hash.update(bytes);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.file, bytes, done);
    this.index = 0;
  }

  override finish(): void {
    this.flush();
    fsyncSync(this.file);
  }

  close(): Pick<WrittenFile, 'sha256' | 'bytes'> {
    closeSync(this.file);
    return { sha256: this.hash.digest('hex'), bytes: this.offset };
  }
}

/** The rows of a file, a group at a time: integers as numbers, times as ISO 8601 text. */
export async function* rowsOfFile(path: string): AsyncGenerator<readonly Row[]> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    const rows: Row[] = [];
    const onComplete = (found: unknown[][]): void => {
      for (const row of found) rows.push(row.map(cellOf));
    };
    await parquetRead({ ...{ file, metadata, rowStart, rowEnd }, onComplete });
    yield rows;
    rowStart = rowEnd;
  }
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Date ? value.toISOString() : ((value ?? null) as Cell);
}

/** True if `fits` is true of a value of a column. Reads one group of rows at a time. */
export async function someValue(path: string, column: string, fits: (value: string) => boolean): Promise<boolean> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    let found = false;
    await parquetRead({
      ...{ file, metadata, rowStart, rowEnd, columns: [column] },
      onChunk: ({ columnData }) => {
        for (const value of columnData as unknown as Iterable<unknown>) found = fits(String(value)) || found;
      },
    });
    if (found) return true;
    rowStart = rowEnd;
  }
  return false;
}
