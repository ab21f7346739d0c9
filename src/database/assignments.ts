import type { SqlInput } from './dialect.js';

/** The SET of an UPDATE that changes the columns a change names; its values come first among the statement's. */
export interface Assignments {
  /** `SET a = ?, b = ?` */
  readonly set: string;
  readonly values: SqlInput[];
}

/** Column names are put into the statement as they are: `change` must be an object of our own making. */
export function assignments(change: Readonly<Record<string, SqlInput>>): Assignments {
  const names = Object.keys(change);
  return { set: `SET ${names.map((name) => `${name} = ?`).join(', ')}`, values: Object.values(change) };
}
