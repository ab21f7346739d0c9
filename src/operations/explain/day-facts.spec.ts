import fc from 'fast-check';
import { coveredResources, type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import type { UndoneTask } from '../../ingest/pulls/listed-pulls.service.js';
import type { History } from '../../ingest/sources/historical-pulls.service.js';
import { availabilityOf } from '../../ingest/streams/availability.js';
import { DAY_MS, dateOf, startOfDate } from '../../platform/platform/time.js';
import { StreamDays, type StreamEvidence } from './day-facts.js';
import { dayVerdict } from './day-state.js';

const at = (text: string): number => new Date(text.length === 10 ? `${text}T00:00:00Z` : `${text}Z`).getTime();
const resource = (name: string): Resource => resourceByName(name) as Resource;

const now = at('2026-11-20T12:00:00');
const unbound = { ingestion_start: null, ingestion_end: null };

const connection = {
  account_id: 1,
  provider: 'oura',
  status: 'connected',
  error_type: null,
  error_at: null,
  connected_at: at('2026-11-01T12:00:00'),
  resource_availability: null,
  observed_at: now,
  person_mark: null,
  other_account_at: null,
};

const history: History = {
  account_id: 1,
  provider: 'oura',
  resource: 'steps',
  status: 'success',
  days_with_data: 3,
  range_start: at('2026-10-01'),
  range_end: at('2026-11-01T12:00:30'),
  release: null,
  trace_id: null,
  error_details: null,
  scheduled_at: at('2026-11-01T12:00:00'),
  started_at: null,
  ended_at: null,
  task_id: 1,
  observed_at: now,
  state: 'complete',
};

const evidence: StreamEvidence = {
  provider: 'oura',
  resource: resource('steps'),
  connection,
  availability: { available: true, denied: 0 },
  history,
  stream: null,
  covered: [
    { start: at('2026-08-01'), end: at('2026-10-01'), confirmedAt: now, state: 'settled' },
    {
      start: at('2026-10-01'),
      end: at('2026-11-18T12:00:00'),
      confirmedAt: at('2026-11-01T12:00:00'),
      state: 'proven',
    },
  ],
  gaps: [],
  heardUntil: now,
  latenessMs: 2 * DAY_MS,
  undone: [],
  succession: null,
  rejected: [],
  proofs: [],
  nextPullFrom: at('2026-11-18T12:00:00'),
};

const task: UndoneTask = {
  id: 7,
  provider: 'oura',
  resource: 'steps',
  status: 'pending',
  origin: 'operator',
  window_start: at('2026-11-10T06:00:00'),
  window_end: at('2026-11-10T07:00:00'),
  error_code: null,
  turns: 0,
  due_at: now,
  created_at: now,
  finished_at: null,
};

const broken = { connection: { ...connection, status: 'error', error_at: at('2026-11-12T10:00:00') } };
const looked: Partial<StreamEvidence> = {
  covered: [{ start: at('2026-08-01'), end: at('2026-11-18T12:00:00'), confirmedAt: now, state: 'settled' }],
};

function reasonOf(date: string, differences: Partial<StreamEvidence> = {}, bounds: object = {}): string {
  const days = new StreamDays({ ...evidence, ...differences }, { ...unbound, ...bounds }, now);
  const start = startOfDate(date);
  const day = { date, start, end: start + DAY_MS, by: 'samples', zone: '+00:00' } as const;
  return dayVerdict(days.facts(day, 0)).reason;
}

describe('the facts about a day', () => {
  it.each<[string, string, Partial<StreamEvidence>, string]>([
    ['within history', '2026-10-15', {}, 'whole'],
    ['since the source is connected', '2026-11-10', {}, 'whole'],
    ['of the connection, half history and half connected', '2026-11-01', {}, 'whole'],
    ['before history', '2026-09-30', {}, 'not_proven'],
    [
      'before the connection, in a history that is not complete',
      '2026-10-15',
      { history: { ...history, state: 'unknown' } },
      'not_proven',
    ],
    ['before anything was pulled', '2026-07-31', {}, 'never_pulled'],
    ['within the look-back', '2026-11-18', {}, 'pull_due'],
    ['today', '2026-11-20', {}, 'not_over'],
    ['tomorrow', '2026-11-21', {}, 'not_begun'],
    ['with a pull of one of its hours', '2026-11-10', { undone: [task] }, 'pull_open'],
    ['beside a pull', '2026-11-11', { undone: [task] }, 'whole'],
    ['pulled whole after a pull was given up', '2026-11-10', { undone: [{ ...task, status: 'failed' }] }, 'whole'],
    [
      'only tried',
      '2026-11-10',
      { undone: [{ ...task, status: 'failed' }], covered: [], nextPullFrom: null },
      'pull_failed',
    ],
    [
      'that upstream failed to pull',
      '2026-10-15',
      { history: { ...history, status: 'failure', state: 'failed' } },
      'upstream_pull_failed',
    ],
    [
      'after one that upstream failed to pull',
      '2026-11-10',
      { history: { ...history, status: 'failure', state: 'failed' } },
      'whole',
    ],
    [
      'that upstream is pulling',
      '2026-10-15',
      { history: { ...history, status: 'retrying', state: 'pending' } },
      'upstream_pull_open',
    ],
    [
      'that upstream may come to, its range not told yet',
      '2026-10-15',
      { history: { ...history, status: 'scheduled', state: 'pending', range_start: null, range_end: null } },
      'upstream_pull_open',
    ],
    [
      'long before the source broke',
      '2026-11-09',
      { ...broken, gaps: [{ start: at('2026-11-12T10:00:00'), end: Number.MAX_SAFE_INTEGER }] },
      'whole',
    ],
    [
      'before the source broke, and before devices had time to send',
      '2026-11-10',
      { ...broken, gaps: [{ start: at('2026-11-12T10:00:00'), end: Number.MAX_SAFE_INTEGER }] },
      'disconnected',
    ],
    [
      'of a source that was broken then and was connected again',
      '2026-11-10',
      { gaps: [{ start: at('2026-11-08'), end: at('2026-11-12') }] },
      'connection_gap',
    ],
    [
      'of a source that was broken before our look at it',
      '2026-10-15',
      { gaps: [{ start: at('2026-10-30'), end: at('2026-10-31') }] },
      'connection_gap',
    ],
    [
      'of a source that was not heard from since',
      '2026-11-10',
      { ...looked, heardUntil: at('2026-11-10T20:00:00') },
      'not_heard_since',
    ],
    ['of a source that was never heard from', '2026-11-10', { ...looked, heardUntil: null }, 'not_heard_since'],
    ['that was looked at and not proven', '2026-11-10', looked, 'not_proven'],
    [
      'on which the source broke',
      '2026-11-12',
      { connection: { ...connection, status: 'error', error_at: at('2026-11-12T10:00:00') } },
      'connection_error',
    ],
    [
      'after the source broke',
      '2026-11-13',
      { connection: { ...connection, status: 'error', error_at: at('2026-11-12T10:00:00') } },
      'connection_error',
    ],
    [
      'of a source that is gone since',
      '2026-10-15',
      { connection: { ...connection, status: 'disconnected' } },
      'whole',
    ],
  ])('%s', (_, date, differences, reason) => {
    expect(reasonOf(date, differences)).toBe(reason);
  });

  it('is bounded by the days the account ingests, both included [users#ingestion-bounds]', () => {
    const bounds = { ingestion_start: '2026-10-15', ingestion_end: '2026-10-20' };
    const reasons = ['2026-10-14', '2026-10-15', '2026-10-20', '2026-10-21'].map((day) => reasonOf(day, {}, bounds));
    expect(reasons).toEqual(['outside_ingestion', 'whole', 'whole', 'outside_ingestion']);
  });

  it('of a summary reaches from the evening before into the next noon', () => {
    const covered = [
      { start: at('2026-10-14'), end: at('2026-10-16T12:00:00'), confirmedAt: now, state: 'proven' as const },
    ];
    const sleep = { resource: resource('sleep'), covered };
    expect(reasonOf('2026-10-15', sleep)).toBe('whole');
    expect(reasonOf('2026-10-14', sleep)).toBe('never_pulled');
    expect(reasonOf('2026-10-16', sleep)).toBe('never_pulled');
  });

  it('never makes a day complete that no proof covers, or that is not over', () => {
    const stretch = fc
      .record({
        from: fc.integer({ min: -40, max: 40 }),
        hours: fc.integer({ min: 1, max: 90 }),
        state: fc.constantFrom(...(['fresh', 'settled', 'proven'] as const)),
      })
      .map(({ from, hours, state }) => {
        const start = at('2026-11-10') + from * 3_600_000;
        return { start, end: start + hours * 3_600_000, confirmedAt: now, state };
      });
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 5 }), fc.integer({ min: -2, max: 12 }), (covered, offset) => {
        const date = dateOf(at('2026-11-10') + offset * DAY_MS);
        const reason = reasonOf(date, { covered, nextPullFrom: null });
        const isCovered = (hour: number): boolean =>
          covered.some(({ start, end, state }) => state === 'proven' && start <= hour && hour < end);
        const hours = Array.from({ length: 24 }, (_, hour) => startOfDate(date) + hour * 3_600_000);
        expect(reason === 'whole').toBe(hours.every(isCovered) && startOfDate(date) + DAY_MS <= now);
      }),
    );
  });
});

describe('a day of a resource', () => {
  it('is not defined for data that has no time or cannot be pulled', () => {
    expect(
      ['profile', 'hypnogram', 'workout_stream', 'sleep', 'steps'].map((name) => coveredResources.includes(name)),
    ).toEqual([false, false, false, true, true]);
  });
});

describe('whether a source delivers a resource', () => {
  const told = (map: object | null, name = 'body_weight') =>
    availabilityOf({ ...connection, resource_availability: map && JSON.stringify(map) }, resource(name));

  it.each([
    ['under the name of its path', { body_weight: { status: 'available' } }, { available: true, denied: 0 }],
    ['under its name in events', { weight: { status: 'unavailable' } }, { available: false, denied: 0 }],
    [
      'with what the person denied',
      {
        weight: {
          status: 'unavailable',
          scope_requirements: { user_denied: { required: ['a', 'b'], optional: ['c'] } },
        },
      },
      { available: false, denied: 2 },
    ],
    ['not at all', null, null],
    ['of others only', { steps: { status: 'available' } }, null],
    ['in words nobody knows', { weight: { status: 'perhaps' } }, null],
    ['in a shape nobody knows', { weight: 'available' }, null],
  ])('follows the reported availability: %s [connections#resource-availability]', (_, map, expected) => {
    expect(told(map)).toEqual(expected);
  });

  it('is unknown without a connection', () => {
    expect(availabilityOf(null, resource('steps'))).toBeNull();
  });
});
