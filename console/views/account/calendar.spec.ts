import {
  type CalendarRow,
  calendarRows,
  cellWords,
  columnsOf,
  dateAfter,
  dayAt,
  dayMarks,
  isQuiet,
  monthAfter,
  monthMarks,
  monthOf,
  placeAfter,
  spanAt,
  stateOf,
} from './calendar.js';

type Run = Parameters<typeof stateOf>[0];

const run = (first_day: string, last_day: string, more: Partial<Run> = {}): Run => ({
  ...{
    first_day,
    last_day,
    days: 1,
    state: 'received',
    notes: [],
    asked_again_until: null,
    proven_equal_at: null,
    whole: true,
    reason: 'whole',
    records: 1,
    more: false,
    gone: 0,
  },
  ...more,
});

const rowsOf = (...runs: Run[]): CalendarRow[] =>
  calendarRows(
    [{ provider: 'oura', resource: 'sleep', complete: false, whole_through: null, days_in: ['utc'], runs }],
    '2026-11-01',
    10,
  );

describe('the calendar', () => {
  it('keeps the state of a day, and marks a day whose records upstream removed as gone', () => {
    expect(stateOf(run('2026-11-01', '2026-11-01', { records: 0, state: 'unknown', gone: 2 }))).toBe('gone');
    expect(stateOf(run('2026-11-01', '2026-11-01', { records: 1, gone: 2 }))).toBe('received');
    expect(stateOf(run('2026-11-01', '2026-11-01', { records: 0, state: 'pending' }))).toBe('waiting');
  });

  it('limits runs to its days and finds the run of a day', () => {
    const [row] = rowsOf(run('2026-10-20', '2026-11-03'), run('2026-11-04', '2026-11-30', { state: 'pending' }));
    expect(row?.spans.map(({ start, length, state }) => [start, length, state])).toEqual([
      [0, 3, 'received'],
      [3, 7, 'waiting'],
    ]);
    expect([2, 3, 9, 10].map((day) => spanAt(row, day)?.state)).toEqual(['received', 'waiting', 'waiting', undefined]);
  });

  it('treats a row as quiet if it only waits or is unknown, and its source does not offer the resource', () => {
    const quiet = (...given: Run[]): (boolean | undefined)[] => rowsOf(...given).map(isQuiet);
    const unknown = run('2026-11-01', '2026-11-08', { records: 0, state: 'unknown' });
    const waiting = run('2026-11-09', '2026-11-09', { records: 0, state: 'pending', reason: 'pull_open' });
    const none = run('2026-11-09', '2026-11-09', { records: 0, state: 'unknown', reason: 'resource_unavailable' });
    expect(quiet(unknown, none)).toEqual([true]);
    expect(quiet(unknown, waiting)).toEqual([false]);
    expect(quiet(unknown, run('2026-11-09', '2026-11-09', { records: 0, state: 'failed_upstream' }))).toEqual([false]);
  });

  it('shows a month by its number of days', () => {
    expect([monthOf('2026-11'), monthOf('2028-02')]).toEqual([
      { first: '2026-11-01', days: 30 },
      { first: '2028-02-01', days: 29 },
    ]);
    expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
    expect(dayMarks(3).map(({ label }) => label)).toEqual(['1', '2', '3']);
  });

  it('describes a day in words', () => {
    const [one] = rowsOf(run('2026-11-03', '2026-11-03'))[0]?.spans ?? [];
    expect(cellWords(one)).toBe('received, 1 record, nothing is missing');
    const [many] =
      rowsOf(run('2026-11-03', '2026-11-05', { records: 9, more: true, reason: 'pull_due' }))[0]?.spans ?? [];
    expect(cellWords(many)).toBe('received, 9 or more records in these 3 days, the next pull includes it');
    const [none] =
      rowsOf(run('2026-11-03', '2026-11-05', { records: 0, state: 'unknown', reason: 'never_pulled' }))[0]?.spans ?? [];
    expect(cellWords(none)).toBe('unknown, never pulled');
  });

  it('moves by a day, a row and four weeks, and stops at its edges', () => {
    const size = { rows: 3, days: 365 };
    const at = { row: 1, day: 100 };
    const after = (key: string, from = at): unknown => Object.values(placeAfter(key, from, size) ?? {});
    expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].map((key) => after(key))).toEqual([
      [1, 99],
      [1, 101],
      [0, 100],
      [2, 100],
    ]);
    expect([after('PageUp'), after('PageDown'), after('Home'), after('End')]).toEqual([
      [1, 72],
      [1, 128],
      [1, 0],
      [1, 364],
    ]);
    expect([after('ArrowUp', { row: 0, day: 0 }), after('ArrowLeft', { row: 0, day: 0 })]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(placeAfter('x', at, size)).toBeNull();
    expect(placeAfter('End', at, { rows: 0, days: 365 })).toBeNull();
  });

  it('marks the first days of months, and names the year at the start and in January', () => {
    expect(monthMarks('2025-11-26', 100)).toEqual([
      { day: 5, label: 'Dec 2025' },
      { day: 36, label: 'Jan 2026' },
      { day: 67, label: 'Feb' },
      { day: 95, label: 'Mar' },
    ]);
    expect(monthMarks('2026-03-01', 40)).toEqual([
      { day: 0, label: 'Mar 2026' },
      { day: 31, label: 'Apr' },
    ]);
  });

  it('gives each day its place, with a gap before each Monday', () => {
    // 2026-11-01 is a Sunday.
    const columns = columnsOf('2026-11-01', 9, 92, { gap: 1 });
    expect(columns.day).toBe(10);
    expect(columns.lefts.slice(0, 3)).toEqual([0, 11, 21]);
    expect(columns.width).toBe(92);
    expect([-5, 0, 10.9, 11, 20.9, 21, 500].map((x) => dayAt(columns, x))).toEqual([0, 0, 0, 1, 1, 2, 8]);
  });

  it('is wider than its container if days would be too narrow', () => {
    const columns = columnsOf('2025-11-26', 365, 300);
    expect(columns.day).toBe(2);
    expect(columns.width).toBeCloseTo(365 * 2 + 52);
  });

  it('counts days over the end of a year', () => {
    expect(dateAfter('2026-12-31', 1)).toBe('2027-01-01');
    expect(dateAfter('2026-03-01', -365)).toBe('2025-03-01');
  });
});
