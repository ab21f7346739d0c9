import { HOUR_MS } from '../platform/time.js';
import type { StoreFigures } from './overview.reader.js';

/** What an operator should check now. */
export const alarmCodes = [
  'tokens_closed',
  'silence',
  'dead_messages',
  'foreign_messages',
  'failed_tasks',
  'failed_historical_pulls',
  'stuck_historical_pulls',
  'critical_results',
  'frequent_sign_ins',
  'erasures_held_up',
] as const;
export type AlarmCode = (typeof alarmCodes)[number];

export interface Alarm {
  readonly code: AlarmCode;
  readonly message: string;
  /** How many of the kind; null for silence and closed issuance. */
  readonly count: number | null;
  /**
   * Epoch milliseconds: since when there is silence or issuance is closed, or the oldest has been stuck; null for the
   * others.
   */
  readonly since: number | null;
}

export interface AlarmFigures
  extends Pick<
    StoreFigures,
    | 'connections'
    | 'tasks_failed_lately'
    | 'pulls_failed_lately'
    | 'pulls_stuck'
    | 'pulls_stuck_since'
    | 'critical_results_lately'
    | 'frequent_installations'
    | 'erasures_held_up'
    | 'tokens_closed_at'
    | 'foreign_messages_lately'
    | 'stamped_at'
  > {
  readonly dead_messages: number;
  readonly last_delivery_at: number | null;
}

/** Failures that nobody can take back raise an alarm for so long, and then count in the totals alone. */
const latelyDays = 7;

/** Epoch milliseconds at which "lately" and the last day begin. */
export function beginningsOf(now: number): { lately: number; day: number } {
  return { lately: now - latelyDays * 24 * HOUR_MS, day: now - 24 * HOUR_MS };
}

/** The alarms that the figures raise at `now`, in the order of `alarmCodes`. */
export function alarmsOf(figures: AlarmFigures, silenceHours: number, now: number): Alarm[] {
  return [
    ...closedIssuance(figures),
    ...silence(figures, silenceHours, now),
    ...counted('dead_messages', figures.dead_messages, 'Messages were given up; look at them and replay them.'),
    ...counted(
      'foreign_messages',
      figures.foreign_messages_lately,
      `Messages of another team came in the last ${latelyDays} days; they are not applied.`,
    ),
    ...counted('failed_tasks', figures.tasks_failed_lately, `Pulls were given up in the last ${latelyDays} days.`),
    ...counted(
      'failed_historical_pulls',
      figures.pulls_failed_lately,
      `Upstream gave up pulling history in the last ${latelyDays} days.`,
    ),
    ...counted(
      'stuck_historical_pulls',
      figures.pulls_stuck,
      "Upstream's pulls of history have not ended for more than 24 hours.",
      figures.pulls_stuck_since,
    ),
    ...counted(
      'critical_results',
      figures.critical_results_lately,
      `A lab called results critical in the last ${latelyDays} days.`,
    ),
    ...counted(
      'frequent_sign_ins',
      figures.frequent_installations,
      'Installations of the app asked for a sign-in token again and again; one is needed per sign-in.',
    ),
    ...counted(
      'erasures_held_up',
      figures.erasures_held_up,
      'Erasures fail again and again, or found something that had come back; see their error_code.',
    ),
  ];
}

function counted(code: AlarmCode, count: number, message: string, since: number | null = null): Alarm[] {
  return count === 0 ? [] : [{ code, message, count, since }];
}

function closedIssuance({ tokens_closed_at: since }: AlarmFigures): Alarm[] {
  if (since === null) return [];
  return [
    { code: 'tokens_closed', message: 'An operator stopped the issue of tokens to everybody.', count: null, since },
  ];
}

/** Only connected sources make upstream send anything. Before the first delivery the silence began with the store. */
function silence({ connections, last_delivery_at, stamped_at }: AlarmFigures, hours: number, now: number): Alarm[] {
  const since = last_delivery_at ?? stamped_at;
  const isConnected = connections.some(({ status, count }) => status === 'connected' && count > 0);
  if (!isConnected || since === null || now - since <= hours * HOUR_MS) return [];
  const message = `No message was delivered for more than ${hours} hours although sources are connected.`;
  return [{ code: 'silence', message, count: null, since }];
}
