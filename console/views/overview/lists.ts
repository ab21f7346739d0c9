import type { AlarmDto } from '../../lib/api.js';

export interface List {
  readonly href: string;
  readonly name: string;
}

const lists: Readonly<Partial<Record<AlarmDto['code'], List>>> = {
  access_log_broken: { href: '/access-log', name: 'Access log' },
  upstream_key_refused: { href: '/settings', name: 'Settings' },
  secret_files_refused: { href: '/settings', name: 'Settings' },
  dead_messages: { href: '/messages?status=dead', name: 'Dead messages' },
  foreign_messages: { href: '/messages?status=ignored', name: 'Ignored messages' },
  inbox_unworked: { href: '/messages?status=received', name: 'Waiting messages' },
  failed_tasks: { href: '/pulls?status=failed', name: 'Failed pulls' },
  pulls_unworked: { href: '/pulls?status=pending', name: 'Waiting pulls' },
  failed_historical_pulls: { href: '/pulls?list=historical', name: 'Historical pulls' },
  stuck_historical_pulls: { href: '/pulls?list=historical', name: 'Historical pulls' },
  deletions_held: { href: '/pulls?list=deletions', name: 'Held deletions' },
  silence: { href: '/pulls?list=recoveries', name: 'Recover what was missed' },
  results_to_review: { href: '/orders?list=review', name: 'Results to decide' },
  critical_results: { href: '/orders?list=critical', name: 'Critical results' },
  redraws_untold: { href: '/orders?list=redraws', name: 'Redraws' },
};

/** The list that an alarm speaks of. */
export function listOf(code: AlarmDto['code']): List | undefined {
  return lists[code];
}
