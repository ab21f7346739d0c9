import { at, secret, sleep, utcDay } from '../../../test/operations/explain/support/explain-case.js';
import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { codesOf, type NotedDay, noteCodes, notesOfClock, notesOfSource, sayNote, sayOwnNote } from './day-notes.js';

const date = '2026-11-01';
const resource = (name: string): Resource => resourceByName(name) as Resource;
const noted = (more: Partial<NotedDay>): NotedDay => ({
  ...{ provider: 'oura', resource: sleep, span: utcDay(date), rejected: [], standing: [], measures: [] },
  ...{ due: false, latenessMs: 48 * HOUR_MS },
  ...more,
});
const measured = (unit: string | null, more: object = {}) => {
  return { date, provider: 'oura', sourceType: 'ring', subSeries: '', unit, place: '', ...more };
};
const codes = (more: Partial<NotedDay>): string[] => codesOf(notesOfSource(noted(more)));
const rejected = (reason: string, provider = 'oura') => {
  const range = { start: at(`${date}T08:00`), end: at(`${date}T08:01`) };
  return { provider, resource: 'heart_rate', reason, count: 2, ...range };
};

describe('the notes on a day', () => {
  it('say whose clock the day follows, unless its records say it', () => {
    expect(notesOfClock({ by: 'fallback_time_zone', zone: 'Asia/Tokyo' })).toMatchObject([
      { code: 'zone_assumed', words: ['Asia/Tokyo'] },
    ]);
    expect(codesOf(notesOfClock({ by: 'utc', zone: null }))).toEqual(['zone_unknown']);
    expect(notesOfClock({ by: 'samples', zone: '+01:00' })).toEqual([]);
    expect(notesOfClock({ by: 'calendar_date', zone: null })).toEqual([]);
  });

  it('tell a point with several values from data that cannot be read', () => {
    const heart = { resource: resource('heartrate') };
    expect(notesOfSource(noted({ ...heart, rejected: [rejected('repeated'), rejected('no_value')] }))).toEqual([
      { code: 'points_repeated', provider: 'oura', records: 2, until: null, words: [] },
      { code: 'points_rejected', provider: 'oura', records: 2, until: null, words: ['no_value'] },
    ]);
    const next = { ...utcDay('2026-11-03') };
    expect(codes({ ...heart, span: next, rejected: [rejected('repeated')] })).toEqual([]);
  });

  it('say until when the day is asked for again', () => {
    const [one] = notesOfSource(noted({ resource: resource('heartrate'), due: true }));
    expect(one).toMatchObject({ code: 'asked_again', until: at(`${date}T00:00`) + DAY_MS + 48 * HOUR_MS });
    expect(one && sayNote(one)).toBe('oura is asked for the day again until 2026-11-04 00:00 UTC.');
  });

  it('count what is not shown for the day, of this source', () => {
    const row = { provider: 'oura', date, hidden: 3, superseded: 1, forecasts: 0 };
    expect(notesOfSource(noted({ standing: [row, { ...row, provider: 'fitbit' }] }))).toMatchObject([
      { code: 'superseded', records: 1 },
      { code: 'hidden_by_better', records: 3 },
    ]);
  });

  it('count samples with values that nobody can have', () => {
    const row = { provider: 'oura', date, hidden: 0, superseded: 0, forecasts: 0, noReadings: 2 };
    const [one] = notesOfSource(noted({ resource: resource('heartrate'), standing: [row] }));
    expect(one).toMatchObject({ code: 'no_readings', records: 2 });
    expect(one && sayNote(one)).toBe(
      '2 samples of oura have values that nobody can have, such as 0 for "no reading", and do not count.',
    );
  });

  it('say of units whether there is a common number', () => {
    const glucose = { resource: resource('glucose') };
    expect(codes({ ...glucose, measures: [measured('mg/dL'), measured('mmol/L')] })).toEqual(['mixed_units']);
    expect(codes({ ...glucose, measures: [measured('mmol/L'), measured('FSU')] })).toEqual(['incomparable_units']);
    expect(codes({ ...glucose, measures: [measured('mmol/L')] })).toEqual([]);
    const other = measured('mmol/L', { provider: 'fitbit' });
    expect(codes({ ...glucose, measures: [measured('mg/dL'), other] })).toEqual([]);
    const steps = { resource: resource('distance') };
    expect(codes({ ...steps, measures: [measured('m'), measured('km', { provider: 'fitbit' })] })).toEqual([
      'mixed_units',
    ]);
  });

  it('say that different things have no common number', () => {
    const places = [measured('°C', { place: 'wrist' }), measured('°C', { place: 'mouth' })];
    expect(codes({ resource: resource('body_temperature'), measures: places })).toEqual(['incomparable_kinds']);
    const types = [measured('count', { subSeries: 'low' }), measured('count', { subSeries: 'high' })];
    expect(codes({ resource: resource('heart_rate_alert'), measures: types })).toEqual(['incomparable_kinds']);
  });

  it('have words for both readers, of codes, names and times only', () => {
    for (const code of noteCodes) {
      const told = { code, provider: secret, records: 1, until: at(`${date}T00:00`), words: ['mg/dL'] };
      expect(sayNote(told)).toMatch(/\.$/);
      expect(sayOwnNote(told)).toMatch(/\.$/);
      expect(`${sayNote(told)} ${sayOwnNote(told)}`).not.toContain(secret);
    }
  });
});
