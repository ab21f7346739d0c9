// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapSummaries } from '../../../src/health/catalogue/map-records.js';
import type { CoverageStreamDto } from '../../../src/operations/explain/coverage.dto.js';
import type { ExplanationDto } from '../../../src/operations/explain/explain.dto.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { RecordPages } from './support/record-pages.js';

const watch = { provider: 'fitbit', type: 'watch' };

describe('the day of a summary', () => {
  const pages = new RecordPages();

  const apply = (resource: string, ...objects: object[]): Promise<void> =>
    pages.apply(mapSummaries(resourceByName(resource) as Resource, objects));
  const ask = async <T extends object>(path: string): Promise<T> => {
    const { status, body } = await pages.app.admin<T>('GET', `/accounts/${pages.anna}/${path}`);
    expect(status).toBe(200);
    return body;
  };
  /** Number of records of each day, as coverage counts them, and the conclusion about the first day. */
  const told = async (resource: string, first: string, last: string): Promise<[number[], string]> => {
    const counts: number[] = [];
    for (const day of [first, last]) {
      const path = `coverage?resource=${resource}&first_day=${day}&last_day=${day}`;
      const { data } = await ask<Page<CoverageStreamDto>>(path);
      counts.push(data[0]?.runs[0]?.records ?? 0);
    }
    return [counts, (await ask<ExplanationDto>(`explain?resource=${resource}&day=${first}`)).conclusion];
  };

  it('without a calendar date is that of its time, and coverage counts all of a day', async () => {
    const recording = (id: string, at: string): object => {
      return { id, source: watch, session_start: at, session_end: at, updated_at: at };
    };
    await apply(
      'electrocardiogram',
      recording('a', '2026-11-02T12:00:00Z'),
      recording('b', '2026-11-02T13:00:00Z'),
      { ...recording('c', '2026-11-02T23:00:00Z'), calendar_date: '2026-11-02' },
      recording('d', '2026-11-03T00:00:00Z'),
    );
    const [counts, conclusion] = await told('electrocardiogram', '2026-11-02', '2026-11-03');
    expect(counts).toEqual([3, 1]);
    expect(conclusion).toContain('3 electrocardiogram records of fitbit are stored');
  });

  it('of the stages of a night is that on which the night ends', async () => {
    await pages.app.admin('PATCH', `/accounts/${pages.anna}`, { fallback_time_zone: 'Europe/Berlin' });
    // From 23:10 on the 2nd to 06:10 on the 3rd.
    const times = { session_start: '2026-11-02T22:10:00Z', session_end: '2026-11-03T05:10:00Z' };
    await apply('sleep_cycle', { id: 'a', source: watch, ...times, updated_at: '2026-11-03T06:00:00Z' });
    const [counts] = await told('sleep_cycle', '2026-11-02', '2026-11-03');
    expect(counts).toEqual([0, 1]);
  });

  it('that names its time zone is a day of that zone, wherever the person is', async () => {
    const updated_at = '2026-11-03T00:00:00Z';
    const inTokyo = { source: watch, updated_at, time_zone: 'Asia/Tokyo' };
    for (const zone of [null, 'America/Los_Angeles']) {
      await pages.begin();
      await pages.app.admin('PATCH', `/accounts/${pages.anna}`, { fallback_time_zone: zone });
      // In Tokyo, from 23:30 on the 1st to 7:30 on the 2nd.
      const night = { session_start: '2026-11-01T14:30:00Z', session_end: '2026-11-01T22:30:00Z' };
      await apply('sleep_cycle', { id: 'a', ...night, ...inTokyo });
      const atEight = { session_start: '2026-11-01T23:00:00Z', session_end: '2026-11-01T23:01:00Z' };
      await apply('electrocardiogram', { id: 'b', ...atEight, ...inTokyo });
      for (const resource of ['sleep_cycle', 'electrocardiogram'])
        expect([zone, (await told(resource, '2026-11-01', '2026-11-02'))[0]]).toEqual([zone, [0, 1]]);
    }
    await apply('electrocardiogram', {
      ...{ id: 'c', ...inTokyo, time_zone: 'Nowhere/At_All' },
      ...{ session_start: '2026-11-05T12:00:00Z', session_end: '2026-11-05T12:01:00Z' },
    });
    expect((await told('electrocardiogram', '2026-11-05', '2026-11-06'))[0]).toEqual([1, 0]);
  });

  it('that has a date instead of a time is that date, wherever the person is', async () => {
    for (const zone of ['America/Los_Angeles', 'Asia/Tokyo']) {
      await pages.begin();
      await pages.app.admin('PATCH', `/accounts/${pages.anna}`, { fallback_time_zone: zone });
      const updated_at = '2026-11-06T00:00:00Z';
      await apply('menstrual_cycle', { id: 'a', source: watch, period_start: '2026-11-02', updated_at });
      const [counts, conclusion] = await told('menstrual_cycle', '2026-11-02', '2026-11-01');
      expect([zone, counts]).toEqual([zone, [1, 0]]);
      expect(conclusion).toContain('1 menstrual cycle record of fitbit is stored for 2026-11-02');
    }
  });
});
