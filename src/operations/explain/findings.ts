import type { Connection } from '../../accounts/connections/connections.service.js';
import type { UndoneTask } from '../../ingest/pulls/listed-pulls.service.js';
import type { History } from '../../ingest/sources/historical-pulls.service.js';
import type { StreamEvidence } from './day-facts.js';
import { counted, moment, word } from './words.js';

/** Findings as sentences for operators. Texts from upstream are shown only if they are codes. */

export function connectionFinding(connection: Connection): string {
  const { status, error_type, error_at, connected_at, observed_at } = connection;
  const since = connected_at === null ? 'Connected' : `Connected at ${moment(connected_at)}`;
  if (status === 'connected') return `${since}; last confirmed by upstream at ${moment(observed_at)}.`;
  if (status === 'error') {
    const error = word(error_type, 'no reason given');
    return `${since}; in error (${error}) since ${moment(error_at ?? observed_at)}.`;
  }
  return `${since}; ${word(status)} (last checked at ${moment(observed_at)}).`;
}

const stored: Readonly<Record<History['state'], string>> = {
  complete: 'Its range is completely stored.',
  pending: 'Its range is not completely stored yet.',
  failed: 'Its range is not stored.',
  not_pulled: 'There is nothing to store.',
  not_synced: 'Its range is not stored because the resource is not in SYNC_RESOURCES.',
  unknown: 'This does not prove that the history is complete.',
};

export function historyFinding(history: History): string {
  const { status, error_details, range_start, range_end, days_with_data, trace_id, state } = history;
  const facts = [
    `Historical pull of upstream: ${word(status)}`,
    error_details === null ? null : word(error_details, 'an error that is not shown'),
    range_start === null || range_end === null ? null : `from ${moment(range_start)} to ${moment(range_end)}`,
    days_with_data === null ? null : counted(days_with_data, 'day with data', 'days with data'),
    trace_id === null ? null : `trace ${word(trace_id)}`,
  ].filter((fact) => fact !== null);
  return `${facts.join(', ')}. ${stored[state]}`;
}

export function streamFinding(stream: StreamEvidence['stream']): string {
  if (!stream) return 'Not pulled on schedule.';
  const { status, last_pulled_at, next_due_at } = stream;
  const last = last_pulled_at === null ? 'never pulled' : `last pulled at ${moment(last_pulled_at)}`;
  const next = next_due_at === null ? 'not due' : `due at ${moment(next_due_at)}`;
  return `The regular pull is ${status}: ${last}, ${next}.`;
}

export function taskFinding(task: UndoneTask): string {
  const { id, origin, status, window_start, window_end, turns, error_code, due_at } = task;
  const window = `from ${moment(window_start)} to ${moment(window_end)}`;
  const error = error_code === null ? '' : `, ${word(error_code)}`;
  const due = status === 'pending' && due_at !== null ? `, due at ${moment(due_at)}` : '';
  return `Task ${id} (${origin}) ${window}: ${status} after ${counted(turns, 'attempt')}${error}${due}.`;
}
