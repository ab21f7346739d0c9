import { instant, readFilters, withFilters } from './filters.js';

/** Filters of a time that was chosen in one view and holds in all that show times. */
export const spanFilters = { from: instant, to: instant };

/** The address of another view, with the chosen time kept. */
export function keepingSpan(href: string, search: string): string {
  const [path = '', own = ''] = href.split('?');
  return `${path}${withFilters(own, readFilters(search, spanFilters))}`;
}

/** An instant as an input of the type "datetime-local" takes it: in the zone of the browser, to the minute. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant that was typed there; undefined for none. */
export function fromLocalInput(typed: string): string | undefined {
  return typed === '' ? undefined : new Date(typed).toISOString();
}
