import type { AlarmDto } from '../../lib/api.js';

interface List {
  readonly href: string;
  /** What the list is called where the alarm counts nothing of it. */
  readonly name: string;
  /** One of what the alarm counts. */
  readonly one?: string;
  /** They wait for somebody; nothing is broken. */
  readonly waits?: true;
}

const result = 'result';

const lists: Readonly<Partial<Record<AlarmDto['code'], List>>> = {
  access_log_broken: { href: '/access-log', name: 'Access log' },
  upstream_key_refused: { href: '/settings', name: 'Run doctor' },
  deliveries_refused: { href: '/settings', name: 'Run doctor' },
  secret_files_refused: { href: '/settings', name: 'Settings' },
  dead_messages: { href: '/messages?status=dead', name: 'Dead messages', one: 'message' },
  foreign_messages: {
    href: '/messages?status=ignored&reason=foreign_team',
    name: 'Messages of other teams',
    one: 'message',
  },
  inbox_unworked: { href: '/messages?status=received', name: 'Waiting messages' },
  failed_tasks: { href: '/pulls?status=failed', name: 'Failed pulls', one: 'pull' },
  pulls_unworked: { href: '/pulls?status=pending', name: 'Waiting pulls' },
  failed_historical_pulls: { href: '/pulls?list=historical', name: 'Historical pulls', one: 'pull' },
  stuck_historical_pulls: { href: '/pulls?list=historical', name: 'Historical pulls', one: 'pull' },
  deletions_held: { href: '/pulls?list=deletions', name: 'Held deletions', one: 'deletion', waits: true },
  silence: { href: '/pulls?list=recoveries', name: 'Recover what was missed' },
  consumer_lagging: { href: '/changes', name: 'Consumers', one: 'consumer' },
  push_failing: { href: '/changes', name: 'Subscriptions', one: 'endpoint' },
  push_disabled: { href: '/changes', name: 'Subscriptions', one: 'endpoint' },
  results_given_up: { href: '/orders', name: 'Orders', one: result },
  results_withdrawn: { href: '/orders', name: 'Orders', one: result },
  results_to_review: { href: '/orders?list=review', name: 'Results to decide', one: result, waits: true },
  critical_results: { href: '/orders?list=critical', name: 'Critical results', one: result, waits: true },
  redraws_untold: { href: '/orders?list=redraws', name: 'Redraws', one: 'redraw', waits: true },
};

/** The list that an alarm speaks of. */
export function listOf(code: AlarmDto['code']): List | undefined {
  return lists[code];
}

/** "the 12 messages", or the name of the list. */
export function listWords({ name, one }: List, count: number | null): string {
  if (one === undefined || count === null) return name;
  return `the ${count === 1 ? one : `${count.toLocaleString()} ${one}s`}`;
}
