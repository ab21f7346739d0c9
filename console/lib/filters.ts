/** Reads a filter from the address; undefined for a value that is none. */
export type Filter<T extends string | number> = (text: string) => T | undefined;
export type Filters = Readonly<Record<string, Filter<string | number>>>;
export type FilterValues<F extends Filters> = { readonly [K in keyof F]?: NonNullable<ReturnType<F[K]>> };

const LONGEST = 200;

/** Any text. */
export const text: Filter<string> = (given) => given.slice(0, LONGEST) || undefined;

export function oneOf<T extends string>(values: readonly T[]): Filter<T> {
  return (given) => values.find((value) => value === given);
}

/** A day, as 2026-11-03. */
export const day: Filter<string> = (given) =>
  /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined;

/** A time with its zone, as 2026-11-03T07:00:00Z. */
export const instant: Filter<string> = (given) =>
  /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(given) && !Number.isNaN(Date.parse(given))
    ? given
    : undefined;

export const whole: Filter<number> = (given) => (/^\d{1,15}$/.test(given) ? Number(given) : undefined);

/** Filters in a query string; unknown names and unusable values are left out. */
export function readFilters<F extends Filters>(search: string, filters: F): FilterValues<F> {
  const given = new URLSearchParams(search);
  const entries = Object.entries(filters).flatMap(([name, read]) => {
    const value = read(given.get(name) ?? '');
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as FilterValues<F>;
}

/** The query string with these filters changed, and everything else as it is; undefined removes one. */
export function withFilters(search: string, changes: Readonly<Record<string, string | number | undefined>>): string {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, String(value));
  }
  next.sort();
  const text = next.toString();
  return text === '' ? '' : `?${text}`;
}
