import { mapWorkoutSeries } from './map-workout-series.js';

const source = { provider: 'garmin', type: 'watch' };
const workout = { workoutId: 'w-1', facts: { provider_id: 'p-1', source, sport: { slug: 'running' } }, time: 7_000 };
const seconds = new Date('2026-11-20T06:00:00Z').getTime() / 1_000;

function recordOf(stream: Record<string, unknown>, facts: Record<string, unknown> = workout.facts) {
  const { summaries, ...rest } = mapWorkoutSeries({ ...workout, facts }, stream);
  expect(rest).toMatchObject({ resource: { name: 'workout_stream' }, samples: [], received: 1, rejected: 0 });
  const [record, ...others] = summaries;
  if (!record || others.length > 0) throw new Error('a stream is one record');
  return record;
}

describe('the record of a stream', () => {
  it('is identified by its workout and keeps the arrays unchanged [summaries#workout-stream]', () => {
    const stream = { time: [seconds, seconds + 5], power: [101.5, null], lat: null };
    const record = recordOf(stream);
    expect(record).toMatchObject({ summaryId: 'w-1', provider: 'garmin', sourceType: 'watch', version: 0 });
    expect(JSON.parse(record.raw)).toEqual({ workout_id: 'w-1', ...workout.facts, ...stream });
  });

  it.each([
    ['seconds', [seconds, seconds + 5], seconds * 1_000, seconds * 1_000 + 5_000],
    ['fractions of seconds', [seconds + 0.25], seconds * 1_000 + 250, seconds * 1_000 + 250],
    ['milliseconds', [seconds * 1_000, seconds * 1_000 + 1], seconds * 1_000, seconds * 1_000 + 1],
    ['texts', ['2026-11-20T06:00:00+00:00', 'late'], seconds * 1_000, null],
    ['seconds since the start', [0, 5, 10], 7_000, null],
    ['nothing', [], 7_000, null],
    ['no array', null, 7_000, null],
  ])('has times from %s', (_, time, start, end) => {
    expect(recordOf({ time })).toMatchObject({ time: start, endTime: end });
  });

  it('has an unknown source if the event has none, and uses the deprecated name if there is only that', () => {
    expect(recordOf({}, {})).toMatchObject({ provider: 'unknown', sourceType: 'unknown' });
    expect(recordOf({}, { source: { slug: 'polar' } })).toMatchObject({ provider: 'polar', sourceType: 'unknown' });
  });
});
