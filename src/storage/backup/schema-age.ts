import { migrations } from '../../../migrations/list.js';

const known = migrations.map(({ name }) => name);

/** Migrations of a newer program than this one. */
export function unknownMigrations(done: readonly string[]): string[] {
  return done.filter((name) => !known.includes(name));
}

/** Migrations that the next start would run on a database that had only these. */
export function pendingMigrations(done: readonly string[]): string[] {
  return known.filter((name) => !done.includes(name));
}
