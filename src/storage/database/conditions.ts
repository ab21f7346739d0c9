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
