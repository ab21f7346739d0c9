import { combined, differ, factsOf, factsOfEvent, isNewSuccess, type PullFacts } from './pull-facts.js';

const at = Date.UTC(2026, 10, 20);
const event = factsOfEvent({ provider: 'oura', eventResource: 'sleep', start: at - 90, end: at - 5, at });
const success: PullFacts = {
  ...event,
  days_with_data: 4,
  release: 'r1',
  trace_id: 't1',
  scheduled_at: at - 60,
  started_at: at - 40,
  ended_at: at - 1,
  observed_at: at + 30,
};

describe('the facts about upstream’s pulls', () => {
  const timeline = { scheduled_at: '2026-11-20T00:00:00+00:00', started_at: null, ended_at: null };
  const statistics = {
    status: 'retrying',
    days_with_data: 0,
    range_start: null,
    range_end: null,
    release: 'r',
    trace_id: null,
    error_details: 'provider_unavailable',
    timeline,
  };

  it('have providers, resources and times [introspection#records-of-pulls]', () => {
    const facts = factsOf(
      { user_id: 'u', provider: { fitbit: { pulled: { weight: statistics }, not_pulled: ['fat'] } } },
      at,
    );
    expect(facts).toEqual([
      expect.objectContaining({
        provider: 'fitbit',
        resource: 'weight',
        status: 'retrying',
        scheduled_at: at,
        ended_at: null,
      }),
      expect.objectContaining({ provider: 'fitbit', resource: 'fat', status: 'not_pulled', days_with_data: null }),
    ]);
  });

  it('count a resource in both lists as pulled, and one listed twice once [introspection#records-of-pulls]', () => {
    const record = { pulled: { sleep: { ...statistics, status: 'success' } }, not_pulled: ['sleep', 'hrv', 'hrv'] };
    const facts = factsOf({ user_id: 'u', provider: { oura: record } }, at);
    expect(facts.map(({ resource, status }) => [resource, status])).toEqual([
      ['sleep', 'success'],
      ['hrv', 'not_pulled'],
    ]);
  });

  it.each([
    ['a first success', null, success, true],
    ['a success after retrying', { ...success, status: 'retrying' }, success, true],
    ['no success', null, { ...success, status: 'in_progress' }, false],
    ['the introspection of a pull already reported by an event', event, success, false],
    ['the event of a pull already reported by introspection', success, event, false],
    ['the same report again', success, { ...success, observed_at: at + 99 }, false],
    ['a later pull of the same range', success, { ...success, ended_at: at + 50 }, true],
    ['a wider range', success, { ...event, range_start: at - 200 }, true],
    ['data where there was none', { ...success, days_with_data: 0 }, success, true],
    ['a range where there was none', { ...success, range_start: null, range_end: null }, success, true],
    [
      'no range on either side',
      { ...success, range_start: null, range_end: null },
      { ...success, range_start: null, range_end: null },
      false,
    ],
  ])('%s: new %# [introspection#records-of-pulls]', (_, known, seen, isNew) => {
    expect(isNewSuccess(known, seen)).toBe(isNew);
  });

  it('keeps what an event does not contain', () => {
    expect(combined(success, { ...event, observed_at: at + 99 })).toEqual({ ...success, observed_at: at + 99 });
  });

  it('keeps nothing of an earlier pull', () => {
    const later = { ...event, range_end: at + 500 };
    expect(combined(success, later)).toEqual(later);
  });

  it('differs by facts, not by the time of the read', () => {
    expect(differ(success, { ...success, observed_at: at + 99 })).toBe(false);
    expect(differ(success, { ...success, status: 'failure' })).toBe(true);
  });
});
