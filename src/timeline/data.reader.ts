import { toIso } from '../platform/time.js';
import { type Detail, type TimelineKind, word } from './timeline-entry.js';
import { source, type TimelineSource } from './timeline-source.js';

interface MessageRow {
  readonly message_id: string;
  readonly event_type: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly attempts: number;
}

interface TaskRow {
  readonly id: number;
  readonly resource: string;
  readonly provider: string;
  readonly origin: string;
  readonly window_start: number;
  readonly window_end: number;
  readonly status: string;
  readonly pages: number;
  readonly records: number;
  readonly error_code: string | null;
}

interface PullRow {
  readonly provider: string;
  readonly resource: string;
  readonly status: string;
  readonly days_with_data: number | null;
  readonly error_details: string | null;
  readonly trace_id: string | null;
}

const messageTitles: Readonly<Record<string, string>> = {
  received: 'A message came and waits.',
  done: 'A message came.',
  retry: 'A message came and is tried again.',
  ignored: 'A message came and needed nothing.',
  dead: 'A message came that was given up.',
};

const historyTitles: Readonly<Record<string, string>> = {
  scheduled: 'Upstream is to pull the history of a source.',
  in_progress: 'Upstream pulls the history of a source.',
  retrying: 'Upstream tries again to pull the history of a source.',
  success: 'Upstream has pulled the history of a source.',
  failure: 'Upstream could not pull the history of a source.',
};

function shownMessage(row: MessageRow): Record<string, Detail> {
  const { status, reason, attempts } = row;
  return { event_type: word(row.event_type), status, reason: word(reason), attempts };
}

function messages(kind: TimelineKind, at: string, where?: string): TimelineSource {
  return source<MessageRow>({
    kind,
    from: 'messages m',
    account: 'm.account_id',
    at,
    keys: [{ column: 'm.seq', type: 'int' }],
    ...(where === undefined ? {} : { where }),
    columns: ['m.message_id', 'm.event_type', 'm.status', 'm.reason', 'm.attempts'],
    show: (row) => ({
      title: kind === 'message' ? (messageTitles[row.status] ?? 'A message came.') : 'A message was given up.',
      ref: { type: 'message', id: row.message_id },
      details: shownMessage(row),
    }),
  });
}

/** A pull is shown when it is asked for and when it ends; what it did is known at the end. */
function pulls(kind: TimelineKind, title: string, at: string, where?: string): TimelineSource {
  return source<TaskRow>({
    kind,
    from: 'sync_tasks t',
    account: 't.account_id',
    at,
    keys: [{ column: 't.id', type: 'int' }],
    ...(where === undefined ? {} : { where }),
    columns: [
      'id',
      'resource',
      'provider',
      'origin',
      'window_start',
      'window_end',
      'status',
      'pages',
      'records',
      'error_code',
    ].map((name) => `t.${name}`),
    show: (row) => ({ title, ref: { type: 'sync_task', id: String(row.id) }, details: shownPull(row) }),
  });
}

function shownPull({
  resource,
  provider,
  origin,
  window_start,
  window_end,
  status,
  ...row
}: TaskRow): Record<string, Detail> {
  return {
    resource,
    provider: provider === '' ? null : word(provider),
    origin,
    window_start: toIso(window_start),
    window_end: toIso(window_end),
    status,
    pages: row.pages,
    records: row.records,
    error_code: word(row.error_code),
  };
}

/** What upstream delivered, and what was pulled. */
export const dataSources: readonly TimelineSource[] = [
  messages('message', 'm.received_at'),
  messages('message_given_up', 'm.finished_at', `m.status = 'dead'`),
  pulls('pull_requested', 'A pull was asked for.', 't.created_at'),
  pulls(
    'pull_done',
    'A pull ended: its window is stored.',
    't.finished_at',
    `t.status = 'done' AND t.finished_at IS NOT NULL`,
  ),
  pulls('pull_failed', 'A pull was given up.', 't.finished_at', `t.status = 'failed' AND t.finished_at IS NOT NULL`),
  // Read whole for each page: one row for each source and resource of the account.
  source<PullRow>({
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
      title: historyTitles[status] ?? 'Upstream told of its pull of the history of a source.',
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
];
