import { resourceByEvent, resourceByName } from '../../health/catalogue/catalogue.js';
import { isoOrNull } from '../../platform/platform/time.js';
import type { ChangeSource, CurrentState, WalkedSubject } from '../../storage/declarations/change-source.js';
import type { HistoricalPullEntity } from './historical-pull.entity.js';
import { isCounted } from './proof.js';

const stored = `SELECT h.* FROM historical_pulls h JOIN sync_tasks t ON t.id = h.task_id
  WHERE h.status = 'success' AND t.status = 'done'`;

/** Histories with days of data, by upstream's count, whose complete range is stored. */
export const historyChanges: ChangeSource = {
  kind: 'history.complete',

  async current(queryable, changed) {
    const states: (CurrentState | null)[] = [];
    for (const { account, provider, resource } of changed) {
      const sql = `${stored} AND h.account_id = ? AND h.provider = ? AND h.resource = ?`;
      const values = [account, provider, resourceByName(resource ?? '')?.eventName ?? resource];
      const [pull] = await queryable.few<HistoricalPullEntity>(sql, values);
      states.push(pull && isCounted(pull.provider, pull) ? stateOf(pull) : null);
    }
    return states;
  },

  async walk(queryable, { after, limit, account }) {
    const beyond = after === null ? '' : 'AND (h.account_id, h.provider, h.resource) > (?, ?, ?)';
    const own = account === undefined ? '' : 'AND h.account_id = ?';
    const pulls = await queryable.rows<HistoricalPullEntity>(
      `${stored} ${beyond} ${own} ORDER BY h.account_id, h.provider, h.resource LIMIT ?`,
      [...(after ?? []), ...(account === undefined ? [] : [account]), limit],
    );
    const found = pulls.flatMap((pull): WalkedSubject[] => {
      const { account_id, provider } = pull;
      const resource = resourceByEvent(pull.resource)?.name;
      if (resource === undefined || !isCounted(provider, pull)) return [];
      const subject = historySubject(provider, resource);
      return [{ key: keyOf(pull), account: account_id, subject, resource, provider, data: stateOf(pull) }];
    });
    const last = pulls.at(-1);
    if (found.length > 0 || last === undefined) return found;
    return historyChanges.walk(queryable, { after: keyOf(last), limit, account });
  },
};

/** Subject of a history in the change feed. */
export function historySubject(provider: string, resource: string): string {
  return `${provider}/${resource}`;
}

function keyOf({ account_id, provider, resource }: HistoricalPullEntity): WalkedSubject['key'] {
  return [account_id, provider, resource];
}

function stateOf({ days_with_data, range_start, range_end }: HistoricalPullEntity): CurrentState {
  return { days_with_data, start: isoOrNull(range_start), end: isoOrNull(range_end) };
}
