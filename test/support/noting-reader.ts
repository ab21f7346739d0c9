import type { SqlInput } from '../../src/storage/database/dialect.js';
import { Reader } from '../../src/storage/database/reader.js';

export interface Asked {
  readonly sql: string;
  readonly parameters: readonly SqlInput[];
}

/** Forwards every query and records it. */
export class NotingReader extends Reader {
  readonly asked: Asked[] = [];
  /** Number of rows of each result of `rows`. */
  readonly answered: number[] = [];
  override readonly dialect;

  constructor(private readonly reader: Reader) {
    super();
    this.dialect = reader.dialect;
  }

  override async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    this.asked.push({ sql, parameters });
    const rows = await this.reader.rows<T>(sql, parameters);
    this.answered.push(rows.length);
    return rows;
  }

  override few<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    this.asked.push({ sql, parameters });
    return this.reader.few<T>(sql, parameters);
  }
}
