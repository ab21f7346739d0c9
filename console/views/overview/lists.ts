import type { AlarmDto } from '../../lib/api.js';
import { withFilters } from '../../lib/filters.js';

interface List {
  readonly href: string;
  /** Name of the list if the alarm has no count. */
  readonly name: string;
  /** Singular noun for what the alarm counts. */
  readonly one?: string;
  /** The time since the start of the alarm must be recovered. */
  readonly sinceThen?: true;
}

const MINUTE_MS = 60_000;
const result = 'result';

const lists: Readonly<Partial<Record<AlarmDto['code'], List>>> = {
  access_log_broken: { href: '/access-log', name: 'Access log' },
  access_log_unchained: { href: '/access-log', name: 'Access log' },
  upstream_key_refused: { href: '/settings', name: 'Run doctor' },
  deliveries_untimely: { href: '/settings', name: 'Run doctor' },
  deliveries_refused: { href: '/settings', name: 'Run doctor' },
  secret_files_refused: { href: '/settings', name: 'Settings' },
  erasures_held_up: { href: '/accounts?status=erasing', name: 'Accounts being erased' },
  dead_messages: { href: '/messages?status=dead', name: 'Dead messages', one: 'message' },
  foreign_messages: {
    href: '/messages?status=ignored&reason=foreign_team',
    name: 'Messages for other teams',
    one: 'message',
  },
  inbox_unworked: { href: '/messages?status=received', name: 'Waiting messages' },
  failed_tasks: { href: '/pulls?status=failed', name: 'Failed pulls', one: 'pull' },
  pulls_unworked: { href: '/pulls?status=pending', name: 'Waiting pulls' },
  failed_historical_pulls: { href: '/pulls?list=historical&status=failure', name: 'Historical pulls', one: 'pull' },
  stuck_historical_pulls: {
    href: '/pulls?list=historical&running=more_than_a_day',
    name: 'Historical pulls',
    one: 'pull',
  },
  audit_faults: { href: '/pulls?list=audits', name: 'Audits' },
  deletions_held: { href: '/pulls?list=deletions', name: 'Held deletions', one: 'deletion' },
  silence: { href: '/pulls?list=recoveries', name: 'Recover missed data', sinceThen: true },
  provider_silent: { href: '/pulls?list=recoveries', name: 'Recover missed data', sinceThen: true },
  consumer_lagging: { href: '/changes', name: 'Consumers', one: 'consumer' },
  push_failing: { href: '/changes', name: 'Subscriptions', one: 'endpoint' },
  push_disabled: { href: '/changes', name: 'Subscriptions', one: 'endpoint' },
  results_given_up: { href: '/orders?list=given_up', name: 'Failed result fetches' },
  reads_given_up: { href: '/messages', name: 'Orders and series not read' },
  results_withdrawn: { href: '/orders?list=withdrawn', name: 'Withdrawn results' },
  results_to_review: { href: '/orders?list=review', name: 'Results to review', one: result },
  critical_results: { href: '/orders?list=critical', name: 'Critical results', one: result },
  frequent_sign_ins: { href: '/accounts?list=sign_ins', name: 'Frequent sign-ins', one: 'installation' },
  redraws_untold: { href: '/orders?list=redraws', name: 'Redraws', one: 'order' },
};

/** The list to which an alarm refers. */
export function listOf(code: AlarmDto['code']): List | undefined {
  return lists[code];
}

/** Address of the list; for recoveries, with the time from the start of the alarm until now. */
export function hrefOf({ href, sinceThen }: List, since: string, now: number): string {
  if (!sinceThen) return href;
  const [path = '', own = ''] = href.split('?');
  const to = new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString();
  return `${path}${withFilters(own, { from: since, to })}`;
}

/** "Open 12 messages", or the name of the list. */
export function listWords({ name, one }: List, count: number | null): string {
  if (one === undefined || count === null) return name;
  return `Open ${count === 1 ? one : `${count.toLocaleString('en')} ${one}s`}`;
}
