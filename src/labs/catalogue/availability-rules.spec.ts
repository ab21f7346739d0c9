import { type AvailabilitySearch, availabilityFaults, availabilityInput } from './availability-rules.js';

const noon = new Date('2026-11-20T12:00:00.000Z').getTime();
const near: AvailabilitySearch = { lab: 'quest', zip_code: '10001' };

const fieldsOf = (search: AvailabilitySearch, now = noon): string[] =>
  availabilityFaults(search, now).map(({ field }) => field);

describe('availabilityFaults', () => {
  it('requires either a zip code or site codes [appointments#availability]', () => {
    expect(fieldsOf(near)).toEqual([]);
    expect(fieldsOf({ lab: 'quest', site_codes: ['QNY1'] })).toEqual([]);
    expect(fieldsOf({ lab: 'quest', site_codes: ['QNY1'], zip_code: null })).toEqual([]);
    expect(availabilityFaults({ lab: 'quest' }, noon)).toEqual([
      { field: 'zip_code', message: 'one of zip_code and site_codes is required' },
    ]);
    expect(availabilityFaults({ ...near, site_codes: ['QNY1'] }, noon)).toEqual([
      { field: 'zip_code', message: 'zip_code and site_codes cannot be combined' },
    ]);
  });

  it.each([
    ['2026-11-20T10:59:59.999Z', '2026-11-19', true],
    ['2026-11-20T11:00:00.000Z', '2026-11-19', false],
    ['2026-11-20T11:00:00.000Z', '2026-11-20', true],
    ['2026-11-20T23:59:59.000Z', '2026-11-20', true],
    ['2026-11-20T12:00:00.000Z', '2027-01-01', true],
    ['2026-03-01T12:00:00.000Z', '2026-02-28', false],
  ])('at %s judges the start date %s: %s [appointments#availability]', (now, start_date, taken) => {
    expect(fieldsOf({ ...near, start_date }, new Date(now).getTime())).toEqual(taken ? [] : ['start_date']);
  });
});

describe('availabilityInput', () => {
  it('always has a radius, and allows stale responses only on request [appointments#availability]', () => {
    expect(availabilityInput(near)).toEqual({ lab: 'quest', zip_code: '10001', radius: '25' });
    expect(availabilityInput({ ...near, radius: '100', allow_stale: false })).toEqual({
      lab: 'quest',
      zip_code: '10001',
      radius: '100',
      allow_stale: false,
    });
    expect(availabilityInput({ lab: 'sonora_quest', site_codes: ['A', 'B'], radius: null })).toEqual({
      lab: 'sonora_quest',
      site_codes: ['A', 'B'],
      radius: '25',
    });
  });

  it('is the same for equal searches in any form', () => {
    const asked: AvailabilitySearch = {
      radius: '25',
      start_date: null,
      zip_code: '10001',
      site_codes: null,
      lab: 'quest',
    };
    expect(JSON.stringify(availabilityInput(asked))).toBe(JSON.stringify(availabilityInput(near)));
  });
});
