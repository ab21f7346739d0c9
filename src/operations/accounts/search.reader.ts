import { Injectable } from '@nestjs/common';
import { afterAllWith } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { Declarations } from '../../storage/declarations/declarations.js';

/** An id that begins with the text. `account` is `accounts.id` of its owner; null if that is unknown. */
export interface FoundId {
  readonly kind: string;
  readonly id: string;
  readonly account: number | null;
}

/** Finds ids by their beginning, in the tables that rooms declare as searchable; each search is one index range. */
@Injectable()
export class SearchReader {
  constructor(
    private readonly reader: Reader,
    private readonly declarations: Declarations,
  ) {}

  get kinds(): string[] {
    return Object.keys(this.declarations.searches);
  }

  /** At most `limit` ids of each kind. `text` must not be empty. */
  async startingWith(text: string, limit: number): Promise<FoundId[]> {
    const end = afterAllWith(text);
    const found = await Promise.all(
      Object.entries(this.declarations.searches).map(async ([kind, sql]) => {
        const rows = await this.reader.rows<Omit<FoundId, 'kind'>>(sql, [text, end, limit]);
        return rows.map((row) => ({ kind, ...row }));
      }),
    );
    return found.flat();
  }

  /** The customer's ids of accounts, by `accounts.id`. */
  async namesOf(accounts: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return (await this.declarations.accountNames?.namesOf(this.reader, accounts)) ?? new Map();
  }
}
