import { type Resource, resourceByName } from '../../../../src/health/catalogue/catalogue.js';
import type { DaySpan } from '../../../../src/health/clock/day-spans.js';
import type { MessageGroup } from '../../../../src/ingest/inbox/messages.repository.js';
import type { UndoneTask } from '../../../../src/ingest/pulls/pull-tasks.reader.js';
import type { History } from '../../../../src/ingest/sources/historical-pulls.service.js';
import type { Case, SourceCase } from '../../../../src/operations/explain/case.js';
import type { StreamEvidence } from '../../../../src/operations/explain/day-facts.js';
import { type DayFacts, dayVerdict } from '../../../../src/operations/explain/day-state.js';
import type { AccountId, ExternalAccountId } from '../../../../src/platform/platform/ids.js';
import { DAY_MS, startOfDate } from '../../../../src/platform/platform/time.js';

export const at = (text: string): number => Date.parse(`${text}:00Z`);
export const sleep = resourceByName('sleep') as Resource;
export const secret = 'Jane Roe: 87 bpm';

export const account: Case['account'] = {
  id: 1 as AccountId,
  account_id: 'customer' as ExternalAccountId,
  pseudonym: null,
  pseudonym_at: null,
  upstream_user_id: 'user',
  status: 'active',
  created_at: at('2026-10-01T08:00'),
  updated_at: 0,
  linked_at: 0,
  user_gone_at: null,
  relinked_at: null,
  fallback_time_zone: null,
  fallback_birth_date: null,
  ingestion_start: null,
  ingestion_end: null,
  user_created_at: null,
  fallback_time_zone_source: null,
  fallback_time_zone_updated_at: null,
  fallback_birth_date_source: null,
  fallback_birth_date_updated_at: null,
  fallback_time_zone_set_at: null,
  fallback_birth_date_set_at: null,
  log_ref: null,
};
export const connection: NonNullable<StreamEvidence['connection']> = {
  account_id: 1,
  provider: 'oura',
  status: 'connected',
  error_type: null,
  error_at: null,
  connected_at: at('2026-10-01T09:00'),
  resource_availability: null,
  observed_at: at('2026-11-20T06:00'),
  person_mark: null,
  other_account_at: null,
};
export const history: History = {
  account_id: 1,
  provider: 'oura',
  resource: 'sleep',
  status: 'success',
  days_with_data: 3,
  range_start: at('2026-07-01T00:00'),
  range_end: at('2026-10-01T09:00'),
  release: 'r',
  trace_id: 'abc',
  error_details: null,
  scheduled_at: null,
  started_at: null,
  ended_at: at('2026-11-02T10:15'),
  task_id: null,
  observed_at: at('2026-11-02T10:20'),
  state: 'complete',
};
export const task: UndoneTask = {
  id: 12,
  provider: '',
  resource: 'sleep',
  status: 'pending',
  origin: 'operator',
  window_start: at('2026-10-30T00:00'),
  window_end: at('2026-11-05T00:00'),
  error_code: null,
  turns: 0,
  due_at: at('2026-11-20T13:00'),
  created_at: at('2026-11-20T12:00'),
  finished_at: null,
};
const stream: StreamEvidence['stream'] = {
  account_id: 1,
  provider: 'oura',
  resource: 'sleep',
  status: 'active',
  covered_until: null,
  next_due_at: at('2026-11-20T13:00'),
  last_pulled_at: null,
  promised_at: null,
  created_at: 0,
};
export const message: MessageGroup = {
  event_type: 'daily.data.sleep.created',
  status: 'dead',
  reason: 'internal',
  count: 1,
  first_at: at('2026-11-01T07:00'),
  last_at: at('2026-11-01T07:00'),
  message_id: 'msg_1',
};

export const wholeDay: DayFacts = {
  records: 0,
  phase: 'over',
  ingested: true,
  failure: null,
  open: null,
  pulled: 'proven',
  broken: false,
  unheard: false,
  due: false,
  unavailable: false,
  gaveUp: false,
  rejected: false,
  notSynced: false,
  gone: false,
};

/** A day of a person whose time zone is not known. */
export function utcDay(date: string): DaySpan {
  const start = startOfDate(date);
  return { date, start, end: start + DAY_MS, by: 'utc', zone: null };
}

/** A source with a day of these facts; by default a complete and empty one. */
export function source(facts: Partial<DayFacts> = {}, evidence: Partial<StreamEvidence> = {}): SourceCase {
  const day = { ...wholeDay, ...facts };
  const { records } = day;
  return {
    evidence: {
      provider: 'oura',
      resource: sleep,
      connection,
      succession: null,
      availability: null,
      history,
      stream,
      covered: [],
      gaps: [],
      heardUntil: at('2026-11-20T05:00'),
      latenessMs: 48 * 3_600_000,
      undone: [],
      rejected: [],
      proofs: [],
      nextPullFrom: null,
      ...evidence,
    },
    facts: day,
    verdict: dayVerdict(day),
    stored: records > 0 ? { provider: 'oura', records, observedAt: at('2026-11-01T07:05') } : null,
  };
}

export function given(differences: Partial<Case> = {}): Case {
  return {
    account,
    resource: sleep,
    day: '2026-11-01',
    span: utcDay('2026-11-01'),
    phase: 'over',
    synced: true,
    connections: [connection],
    sources: [source()],
    gone: [],
    standing: [],
    measures: [],
    messages: [],
    lastDelivery: { account: at('2026-11-20T06:00'), any: at('2026-11-20T06:00') },
    asked: null,
    unread: 0,
    alarms: [],
    ...differences,
  };
}
