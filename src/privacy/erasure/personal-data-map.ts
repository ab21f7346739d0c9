import { Injectable } from '@nestjs/common';
import { Declarations } from '../../storage/declarations/declarations.js';
import type { LookupPath, PersonalTable } from '../../storage/declarations/personal-data.js';

/** Its row stays until upstream has deleted the user, because that deletion needs its two ids. */
export const accountsTable = 'accounts';

/** Every table with personal data, as declared by the rooms. */
@Injectable()
export class PersonalDataMap {
  /** In order of deletion; accounts are last. */
  readonly tables: readonly PersonalTable[];

  constructor({ personal }: Declarations) {
    this.tables = personal;
  }

  /**
   * SQL conditions for the rows of an account; a row matches at least one of them. Each has one parameter,
   * `accounts.id`.
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
