import { Injectable } from '@nestjs/common';
import { placeholders, type SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import {
  type ExportedRows,
  type ExportLine,
  type PersonalTable,
  pagesOf,
  type Row,
  readable,
} from '../../storage/declarations/personal-data.js';
import { accountsTable, PersonalDataMap } from './personal-data-map.js';

type Pages = AsyncGenerator<readonly ExportLine[]>;
type Key = readonly (string | number)[];

/**
 * All lines of an account (`accounts.id`), in pages: the account, its rows, the sections. Each page is its own
 * snapshot.
 */
@Injectable()
export class ExportReader {
  constructor(
    private readonly reader: Reader,
    private readonly map: PersonalDataMap,
    private readonly declarations: Declarations,
  ) {}

  async *pages(accountId: number): Pages {
    const [first, others] = [true, false].map((wanted) =>
      this.map.tables.filter(({ table }) => (table === accountsTable) === wanted),
    );
    for (const personal of [...(first ?? []), ...(others ?? [])]) {
      if (typeof personal.exported !== 'string') yield* this.rows(personal, personal.exported, accountId);
    }
    for (const section of this.declarations.exports) yield* section({ reader: this.reader }, accountId);
  }

  private async *rows(personal: PersonalTable, exported: ExportedRows, accountId: number): Pages {
    const read = (after: Key | null, limit: number): Promise<Row[]> => this.page(personal, accountId, after, limit);
    const keyOf = (row: Row): Key | null => personal.key.map((name) => row[name] as string | number);
    for await (const page of pagesOf<Row, Key | null>(null, read, keyOf)) {
      yield page.map((row) => readable(row, exported));
    }
  }

  private page(personal: PersonalTable, accountId: number, after: Key | null, limit: number): Promise<Row[]> {
    const { table, key } = personal;
    const columns = key.join(', ');
    const conditions = this.map.conditionsOf(personal);
    const owned = conditions.map((condition) => `(${condition})`).join(' OR ');
    const later = after === null ? '' : `AND (${columns}) > (${placeholders(key.length)})`;
    const parameters: SqlInput[] = [...conditions.map(() => accountId), ...(after ?? []), limit];
    return this.reader.rows(`SELECT * FROM ${table} WHERE (${owned}) ${later} ORDER BY ${columns} LIMIT ?`, parameters);
  }
}
