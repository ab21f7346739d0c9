import { resourceByName } from '../../health/catalogue/catalogue.js';
import type { Caller } from '../../http/auth/caller.js';
import type { RouteFacts } from '../../http/server/route-facts.js';
import { isAlwaysRecorded } from '../../platform/config/admin-roles.js';
import { DAY_MS, parseInstant } from '../../platform/platform/time.js';
import { nothingShown, type Shown } from './chain.js';

type Fields = Readonly<Record<string, unknown>>;

export interface RecordedRequest {
  readonly method: string;
  readonly facts: RouteFacts;
  readonly params: Fields;
  readonly query: Fields;
}

/** Status of an action before its response: HTTP's code for processing. */
export const started = 102;

const readOnly: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const safeId = /^[A-Za-z0-9_.:-]{1,255}$/;

/**
 * True if a response to this caller is recorded: always for routes that need the reader or operator role, even if
 * refused; for routes of monitors or viewers only if values were shown; always for requests of the app. Never for
 * routes that show nothing about a person.
 */
export function isRecorded({ actor, needed, readsValues, accountId }: Caller, { recorded }: RouteFacts): boolean {
  if (recorded === false) return false;
  if (actor) return isAlwaysRecorded(needed) || readsValues === true;
  return accountId !== undefined;
}

/** True if a request may change data and is therefore recorded before it does. */
export function isWrite(method: string): boolean {
  return !readOnly.has(method);
}

/** Resource and time range that a request reads. Days count as UTC days; an invalid time leaves its end open. */
export function shownBy({ method, facts, params, query }: RecordedRequest): Shown {
  if (isWrite(method)) return nothingShown;
  const { resource: name } = params;
  const named = resourceByName(typeof name === 'string' ? name : String(query['resources']));
  const resource = named?.name ?? facts.shows;
  if (resource === undefined) return nothingShown;
  const lastDay = timeOf(query['last_day']);
  const starts = [timeOf(query['start']), timeOf(query['first_day'])].filter((time) => time !== null);
  const ends = [timeOf(query['end']), lastDay === null ? null : lastDay + DAY_MS].filter((time) => time !== null);
  return {
    resource,
    window_start: starts.length === 0 ? null : Math.max(...starts),
    window_end: ends.length === 0 ? null : Math.min(...ends),
  };
}

function timeOf(text: unknown): number | null {
  return typeof text === 'string' ? parseInstant(text) : null;
}

/** An id in a path: `order` and `0d1c...` for `/orders/:order_id`. */
export interface Target {
  readonly kind: string;
  /** Null if it does not have the format of an id: it could be anything, even a person's name. */
  readonly id: string | null;
}

/**
 * The ids in a path, except the account id. `:order_id` is the id of an order; the kind of `:id` is the name of the
 * previous segment.
 */
export function targetsOf(route: string, parameters: Readonly<Record<string, unknown>>): Target[] {
  const segments = route.split('/');
  return segments.flatMap((segment, index) => {
    const name = segment.startsWith(':') ? segment.slice(1) : '';
    if (name === '' || name === 'account_id') return [];
    const kind = name === 'id' ? (segments[index - 1] ?? '').replace(/s$/, '') : name.replace(/_id$/, '');
    const value = parameters[name];
    return [{ kind, id: typeof value === 'string' && safeId.test(value) ? value : null }];
  });
}

export function targetText(targets: readonly Target[]): string | null {
  return targets.length === 0 ? null : targets.map(({ kind, id }) => `${kind}:${id ?? '?'}`).join(' ');
}
