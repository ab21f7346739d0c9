import { instant, readFilters, withFilters } from './filters.js';

/** Filters for the chosen time range, which all views with times share. */
export const spanFilters = { from: instant, to: instant };

/** Address of another view, with the chosen time range. */
export function keepingSpan(href: string, search: string): string {
  const [path = '', own = ''] = href.split('?');
  return `${path}${withFilters(own, readFilters(search, spanFilters))}`;
}

/** Formats an instant for an input of type "datetime-local": in the browser's time zone, to the minute. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Parses the value of such an input; undefined if it is empty. */
export function fromLocalInput(typed: string): string | undefined {
  return typed === '' ? undefined : new Date(typed).toISOString();
}
