import { everyResource } from '../../http/server/route-facts.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import {
  type ExportLine,
  type ExportSource,
  pagesOf,
  type Row,
  readable,
} from '../../storage/declarations/personal-data.js';
import { timelineSource, word } from '../../storage/declarations/timeline.js';
import { AccessChainEntity, AccessEntryEntity, AccessWriterEntity, PendingEntryEntity } from './access-log.entity.js';
import { isWrite, started } from './audit-policy.js';

function titleOf({ action, status, resource }: Pick<AccessEntryEntity, 'action' | 'status' | 'resource'>): string {
  if (status === started) return 'An operator started an action.';
  if (status >= 400) return 'A request by an operator was refused.';
  if (action.startsWith('GET /admin/v1/access-log')) return 'An operator read the access log.';
  const isRead = resource !== null || !isWrite(action.split(' ', 1)[0] ?? '');
  if (!isRead) return 'An action by an operator was completed.';
  if (resource !== null) return `An operator read values of ${resource.split(',').map(subjectWords).join(', ')}.`;
  return action === 'GET /admin/v1/accounts/:account_id'
    ? 'An operator opened the account.'
    : 'An operator read values.';
}

function subjectWords(resource: string): string {
  if (resource === everyResource) return 'every resource';
  return (word(resource.trim()) ?? '').replaceAll('_', ' ');
}

const exported = `at, actor, role, action, target, request_id, status, reason, resource, window_start, window_end`;

/**
 * Entries about the person, those that wait for the chain first, so that one that is chained in between is not missed.
 */
async function* accesses({ reader }: ExportSource, accountId: number): AsyncGenerator<readonly ExportLine[]> {
  const waiting = `SELECT ${exported} FROM access_log_pending WHERE account_ref = ? ORDER BY id`;
  yield (await reader.rows<Row>(waiting, [accountId])).map((row) => readable(row, { as: 'access' }));
  const read = (after: number, limit: number): Promise<(Row & { readonly seq: number })[]> =>
    reader.rows(
      `SELECT seq, ${exported} FROM access_log
       WHERE account_ref = ? AND seq > ? ORDER BY seq LIMIT ?`,
      [accountId, after, limit],
    );
  for await (const page of pagesOf(0, read, ({ seq }) => seq)) {
    yield page.map((row) => readable(row, { as: 'access', without: ['seq'] }));
  }
}

export const accessLogDeclarations: RoomDeclarations = {
  entities: [AccessEntryEntity, AccessChainEntity, PendingEntryEntity, AccessWriterEntity],
  kept: {
    access_log:
      'who read what about whom must stay provable, and no entry can be removed from the chain; it identifies a person only by accounts.id, which identifies nobody once the account is deleted, and by upstream ids of orders and messages',
    access_log_chain: 'the two ends of the access log',
    access_log_pending: 'the same as access_log, until a worker moves it there within a second',
    access_log_writers: 'the last mark of each writer of the access log; no personal data',
  },
  figures: { access_log_unchained_since: 'SELECT at FROM access_log_pending ORDER BY id LIMIT 1' },
  exports: [accesses],
  // Operators' actions on the account and reads of its values; actions of its app are only in the access log.
  timeline: [
    timelineSource(AccessEntryEntity, {
      kind: 'operator_act',
      from: 'access_log g',
      account: 'g.account_ref',
      at: 'g.at',
      keys: [{ column: 'g.seq', type: 'int' }],
      where: `g.role IS NOT NULL AND g.role <> 'viewer'`,
      columns: ['g.seq', 'g.actor', 'g.role', 'g.action', 'g.target', 'g.resource', 'g.request_id', 'g.status'],
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
  ],
};
