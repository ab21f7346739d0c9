import { catalogue } from '../../health/catalogue/catalogue.js';
import { unusedObservations, withoutObservations } from '../../health/reads/health-data.declarations.js';
import { toIso } from '../../platform/platform/time.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import {
  subjectOf,
  type TimelineKind,
  type TimelineSource,
  timelineSource,
  word,
} from '../../storage/declarations/timeline.js';
import { PullTaskEntity } from './pull-task.entity.js';
import { timelyPriorities } from './pull-tasks.repository.js';

const guardColumns = ['anchor_cursor', 'anchor_content', 'empty_pages', 'repeated_pages'];

/** The timeline shows a pull when it is requested and when it ends; only the end has the counts. */
function pulls(
  kind: TimelineKind,
  title: (subject: string, records: number) => string,
  at: string,
  where?: string,
): TimelineSource {
  return timelineSource(PullTaskEntity, {
    kind,
    from: 'sync_tasks t',
    account: 't.account_id',
    at,
    keys: [{ column: 't.id', type: 'int' }],
    ...(where === undefined ? {} : { where }),
    columns: [
      't.id',
      't.resource',
      't.provider',
      't.origin',
      't.window_start',
      't.window_end',
      't.status',
      't.pages',
      't.records',
      't.error_code',
    ],
    show: (row) => ({
      title: title(subjectOf(row.provider, row.resource), row.records),
      ref: { type: 'sync_task', id: String(row.id) },
      details: {
        resource: row.resource,
        provider: row.provider === '' ? null : word(row.provider),
        origin: row.origin,
        window_start: toIso(row.window_start),
        window_end: toIso(row.window_end),
        status: row.status,
        pages: row.pages,
        records: row.records,
        error_code: word(row.error_code),
      },
    }),
  });
}

/** Due time of the longest waiting task of each priority without a holder. */
function dueSince(priority: number): string {
  return `SELECT due FROM (SELECT due_at AS due FROM sync_tasks WHERE priority = ${priority} AND due_at <= :now
    AND (lease_until IS NULL OR lease_until <= :now) ORDER BY due_at LIMIT 1) AS longest_${priority}`;
}

/** A later pull stored the entire window of the failed one `f`, of its source or of every source (SQL). */
const madeUp = `EXISTS (SELECT 1 FROM sync_tasks d WHERE d.account_id = f.account_id AND d.status = 'done'
  AND d.finished_at >= f.finished_at AND d.resource = f.resource AND d.provider IN (f.provider, '')
  AND d.window_start <= f.window_start AND d.window_end >= f.window_end)`;

const renamed = catalogue.filter(({ name, eventName }) => eventName !== null && eventName !== name);
const cases = renamed.map(({ name, eventName }) => `WHEN '${eventName}' THEN '${name}'`).join(' ');

/** Since upstream's pull `h` failed, one of our pulls brought records for its entire window (SQL). */
const arrivedAnyway = `EXISTS (SELECT 1 FROM sync_tasks d WHERE d.account_id = h.account_id AND d.status = 'done'
  AND d.finished_at >= h.observed_at AND d.resource = CASE h.resource ${cases} ELSE h.resource END
  AND d.provider IN (h.provider, '') AND d.records > 0
  AND d.window_start <= h.range_start AND d.window_end >= h.range_end)`;

export const pullsDeclarations: RoomDeclarations = {
  entities: [PullTaskEntity],
  // Pulls of a recovery are kept because its progress counts them, and pulls of a history because they show that it is
  // stored.
  ended: [
    unusedObservations(
      'sync',
      '(SELECT t.account_id FROM sync_tasks t WHERE t.id = r.ref)',
      `NOT EXISTS (SELECT 1 FROM sync_tasks t WHERE t.id = r.ref AND t.status IN ('pending', 'running'))`,
    ),
    {
      table: 'sync_tasks',
      key: 'id',
      madeAt: 'created_at',
      ended: `r.status = 'done' AND r.finished_at < :before AND r.recovery_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM historical_pulls h WHERE h.account_id = r.account_id AND h.task_id = r.id)
        AND ${withoutObservations('sync', 'r.id')}`,
    },
  ],
  personal: [
    personalRows(PullTaskEntity, byAccount, {
      as: 'sync_task',
      without: [...leaseColumns, 'turns', 'priority', 'next_cursor', ...guardColumns, 'dedupe_key'],
    }),
  ],
  timeline: [
    pulls('pull_requested', (subject) => `${subject}: a pull was requested.`, 't.created_at'),
    pulls(
      'pull_done',
      (subject, records) => `${subject} pulled: ${records} ${records === 1 ? 'record' : 'records'}.`,
      't.finished_at',
      `t.status = 'done' AND t.finished_at IS NOT NULL`,
    ),
    pulls(
      'pull_failed',
      (subject) => `${subject}: a pull failed permanently.`,
      't.finished_at',
      `t.status = 'failed' AND t.finished_at IS NOT NULL`,
    ),
  ],
  figures: {
    tasks_pending: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'pending'`,
    tasks_running: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'running'`,
    tasks_failed: `SELECT COUNT(*) FROM sync_tasks WHERE status = 'failed'`,
    pulls_due_since: `SELECT MIN(due) FROM (${timelyPriorities.map(dueSince).join(' UNION ALL ')}) AS each_priority`,
    pulls_failed_lately: `SELECT COUNT(*) FROM historical_pulls h
      WHERE h.status = 'failure' AND h.observed_at >= :lately AND NOT ${arrivedAnyway}`,
    tasks_failed_lately: `SELECT COUNT(*) FROM sync_tasks f
      WHERE f.status = 'failed' AND f.finished_at >= :lately AND NOT ${madeUp}`,
  },
  waiting: {
    sync_task: `SELECT error_code AS error, COUNT(*) AS count FROM sync_tasks
      WHERE status IN ('pending', 'running') AND error_code IS NOT NULL GROUP BY error_code ORDER BY error_code`,
  },
  gauges: [
    {
      name: 'sync_tasks',
      help: 'Pulls that are not done, by status',
      label: 'status',
      figures: { pending: 'tasks_pending', running: 'tasks_running', failed: 'tasks_failed' },
    },
  ],
};
