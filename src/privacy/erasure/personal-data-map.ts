import { Injectable } from '@nestjs/common';
import { Declarations } from '../../storage/declarations/declarations.js';
import type { LookupPath, PersonalTable } from '../../storage/declarations/personal-data.js';

/** Stays while upstream still has the user: its two ids are needed for the deletion there. */
export const accountsTable = 'accounts';

/** Every table with personal data, as the rooms declare them. */
@Injectable()
export class PersonalDataMap {
  /** In order of deletion; accounts are last. */
  readonly tables: readonly PersonalTable[];

  constructor({ personal }: Declarations) {
    this.tables = personal;
  }

  /**
   * The SQL conditions for the rows of an account, each of which finds some of them; each takes `accounts.id` as its
   * one parameter.
   */
  conditionsOf({ paths }: PersonalTable): string[] {
    return paths.flatMap(({ column, through, where }) => {
      const own =
        through === undefined ? [`${column} = ?`] : this.keysOf(through).map((keys) => `${column} IN ${keys}`);
      return own.map((condition) => (where === undefined ? condition : `${where} AND ${condition}`));
    });
  }

  private keysOf({ table, key }: NonNullable<LookupPath['through']>): string[] {
    const personal = this.tables.find((one) => one.table === table);
    if (!personal) throw new TypeError(`no room declares personal data in ${table}`);
    return this.conditionsOf(personal).map((condition) => `(SELECT ${key} FROM ${table} WHERE ${condition})`);
  }
}
