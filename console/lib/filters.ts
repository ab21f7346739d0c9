/** Parses a filter from the address; undefined for an invalid value. */
export type Filter<T extends string | number> = (text: string) => T | undefined;
export type Filters = Readonly<Record<string, Filter<string | number>>>;
export type FilterValues<F extends Filters> = { readonly [K in keyof F]?: NonNullable<ReturnType<F[K]>> };

const LONGEST = 200;

/** Any text. */
export const text: Filter<string> = (given) => given.slice(0, LONGEST) || undefined;

export function oneOf<T extends string>(values: readonly T[]): Filter<T> {
  return (given) => values.find((value) => value === given);
}

/** A date such as 2026-11-03. */
export const day: Filter<string> = (given) =>
  /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined;

/** A month such as 2026-11. */
export const month: Filter<string> = (given) => (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(given) ? given : undefined);

/** A time with an offset, such as 2026-11-03T07:00:00Z. */
export const instant: Filter<string> = (given) =>
  /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(given) && !Number.isNaN(Date.parse(given))
    ? given
    : undefined;

export const whole: Filter<number> = (given) => (/^\d{1,15}$/.test(given) ? Number(given) : undefined);

/** Reads filters from a query string; unknown names and invalid values are ignored. */
export function readFilters<F extends Filters>(search: string, filters: F): FilterValues<F> {
  const given = new URLSearchParams(search);
  const entries = Object.entries(filters).flatMap(([name, read]) => {
    const value = read(given.get(name) ?? '');
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as FilterValues<F>;
}

/** Changes these filters in a query string and keeps everything else; undefined removes a filter. */
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
