import { source, type TimelineSource } from './timeline-source.js';

interface ActRow {
  readonly seq: number;
  readonly actor: string;
  readonly role: string;
  readonly action: string;
  readonly target: string | null;
  readonly request_id: string;
  readonly status: number;
}

/** HTTP's code for work in hand: an act is logged before it is done, and again with its answer. */
const begun = 102;

function titleOf({ action, status }: ActRow): string {
  if (status === begun) return 'An operator began an act.';
  if (status >= 400) return 'An operator asked for something and did not get it.';
  if (action.startsWith('GET /admin/v1/access-log')) return 'An operator read the access log.';
  return action.startsWith('GET ') ? 'An operator read values.' : 'An act of an operator was answered.';
}

/** What operators did about the account, and what values they read; what its app does itself is in the access log alone. */
export const actSources: readonly TimelineSource[] = [
  source<ActRow>({
    kind: 'operator_act',
    from: 'access_log g',
    account: 'g.account_ref',
    at: 'g.at',
    keys: [{ column: 'g.seq', type: 'int' }],
    where: `g.role IS NOT NULL AND g.role <> 'viewer'`,
    columns: ['g.seq', 'g.actor', 'g.role', 'g.action', 'g.target', 'g.request_id', 'g.status'],
    show: (row) => ({
      title: titleOf(row),
      ref: { type: 'access_log', id: String(row.seq) },
      details: {
        actor: row.actor,
        role: row.role,
        action: row.action,
        target: row.target,
        request_id: row.request_id,
        status: row.status,
      },
    }),
  }),
];
