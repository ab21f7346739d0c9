import type { SqlInput } from './dialect.js';

/** Conditions of a WHERE clause, joined by AND. */
export class Conditions {
  private readonly parts: string[] = [];
  readonly values: SqlInput[] = [];

  /** Omitted if one of its values is undefined. */
  add(sql: string, ...values: readonly SqlInput[]): this {
    if (values.includes(undefined)) return this;
    this.parts.push(sql);
    this.values.push(...values);
    return this;
  }

  /** `WHERE ...`, or an empty text without conditions. */
  get where(): string {
    return this.parts.length === 0 ? '' : `WHERE ${this.parts.join(' AND ')}`;
  }

  /** `AND ...`, to follow the statement's own conditions, or an empty text. */
  get and(): string {
    return this.parts.map((part) => `AND ${part}`).join(' ');
  }
}

/** Rows by a number: rising from after `from` up to `to`, or falling from before `from`. */
export interface NumberOrder {
  readonly number: string;
  readonly order: 'ASC' | 'DESC';
  readonly from: number;
  readonly to?: number;
}

/** The newest rows before a number; without one, of all. */
export function newestBefore(number: string, before: number | null): NumberOrder {
  return { number, order: 'DESC', from: before ?? Number.MAX_SAFE_INTEGER };
}

/**
 * Conditions for rows with these values, without those that are undefined, and the order of the rows. One value alone
 * is read from the index of its column and the number. With an equality in place of the two comparisons, PostgreSQL may
 * read all rows by their number, which takes long if the first ones have other values. `isTimed`: the rows are of a
 * time, which may be far from both ends of that index.
 */
export function alongIndex(
  { number, order, from, to }: NumberOrder,
  values: Readonly<Record<string, SqlInput>>,
  isTimed: boolean,
): { conditions: Conditions; orderBy: string } {
  const [beyond, within] = order === 'ASC' ? ['>', '<='] : ['<', '>='];
  const conditions = new Conditions().add(`${number} <= ?`, to);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const [one, another] = given;
  if (!one || another || isTimed) {
    for (const [column, value] of given) conditions.add(`${column} = ?`, value);
    return { conditions: conditions.add(`${number} ${beyond} ?`, from), orderBy: `${number} ${order}` };
  }
  const [column, value] = one;
  conditions.add(`${column} ${within} ? AND (${column}, ${number}) ${beyond} (?, ?)`, value, value, from);
  return { conditions, orderBy: `${column} ${order}, ${number} ${order}` };
}
