import { joinShownAccount } from '../../accounts/accounts/account-sql.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { subjectOf, timelineSource, word } from '../../storage/declarations/timeline.js';
import { accountRef, column, type View } from '../../storage/declarations/views.js';
import { CoverageEntity } from './coverage.entity.js';
import { HistoricalPullEntity, isStuck } from './historical-pull.entity.js';
import { historyChanges } from './history-changes.reader.js';
import { PullStreamEntity } from './pull-stream.entity.js';

const historyTitles: Readonly<Record<string, string>> = {
  scheduled: 'upstream scheduled the pull of the history',
  in_progress: 'upstream is pulling the history',
  retrying: 'upstream is retrying the pull of the history',
  success: 'upstream pulled the history',
  failure: 'upstream could not pull the history',
  not_pulled: 'upstream does not pull the history',
};

const stuck = `FROM historical_pulls p WHERE ${isStuck(':day')}`;

const coverageView: View = {
  name: 'coverage',
  about: 'A range of time that was pulled completely from upstream. Where no range is, nothing can be said.',
  columns: [
    accountRef('c.account_id'),
    column('provider', 'text', `NULLIF(c.provider, '')`, 'Provider of the source; null for a pull over all sources.'),
    column('resource', 'text', 'c.resource', 'Kind of data.'),
    column('range_start', 'time', 'c.range_start', 'Start of the range, inclusive.'),
    column('range_end', 'time', 'c.range_end', 'End of the range, exclusive.'),
    column(
      'state',
      'text',
      'c.state',
      '`fresh`: devices may still send data for it; `settled`: pulled again after they had time; `proven`: settled, and everything is stored.',
    ),
    column('confirmed_at', 'time', 'c.confirmed_at', 'When the pull began that confirmed it.'),
  ],
  from: () => `FROM coverage c ${joinShownAccount('c.account_id')}`,
  order: 'c.account_id, c.resource, c.provider, c.range_start',
};

export const coverageDeclarations: RoomDeclarations = {
  views: [coverageView],
  entities: [PullStreamEntity, CoverageEntity, HistoricalPullEntity],
  changes: [historyChanges],
  personal: [
    personalRows(CoverageEntity, byAccount, { as: 'coverage' }),
    personalRows(PullStreamEntity, byAccount, { as: 'sync_stream', without: ['next_due_at'] }),
    personalRows(HistoricalPullEntity, byAccount, { as: 'historical_pull', without: ['task_id'] }),
  ],
  timeline: [
    // Each page reads all rows of the account: one per source and resource.
    timelineSource(HistoricalPullEntity, {
      kind: 'history_pull',
      from: 'historical_pulls h',
      account: 'h.account_id',
      at: 'h.observed_at',
      keys: [
        { column: 'h.provider', type: 'text' },
        { column: 'h.resource', type: 'text' },
      ],
      columns: ['h.provider', 'h.resource', 'h.status', 'h.days_with_data', 'h.error_details', 'h.trace_id'],
      show: ({ provider, resource, status, days_with_data, error_details, trace_id }) => ({
        title: `${subjectOf(provider, resource)}: ${historyTitles[status] ?? 'upstream reported its pull of the history'}.`,
        ref: { type: 'historical_pull', id: `${provider}/${resource}` },
        details: {
          provider: word(provider),
          resource: word(resource),
          status: word(status),
          days_with_data,
          error_details: word(error_details),
          trace_id: word(trace_id),
        },
      }),
    }),
  ],
  figures: {
    pulls_failed: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'failure'`,
    pulls_failed_since: `SELECT MIN(observed_at) FROM historical_pulls WHERE status = 'failure'`,
    pulls_retrying: `SELECT COUNT(*) FROM historical_pulls WHERE status = 'retrying'`,
    pulls_stuck: `SELECT COUNT(*) ${stuck}`,
    pulls_stuck_since: `SELECT MIN(COALESCE(p.scheduled_at, p.observed_at)) ${stuck}`,
  },
  gauges: [
    {
      name: 'historical_pulls',
      help: "Upstream's historical pulls that failed, are being retried or are stuck",
      label: 'status',
      figures: { failed: 'pulls_failed', retrying: 'pulls_retrying', stuck: 'pulls_stuck' },
    },
  ],
};
