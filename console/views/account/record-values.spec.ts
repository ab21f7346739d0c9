import type { TracedHealthRecord } from '../../lib/api.js';
import { linesOf, numbersIn, originWords, usualNumber, valueWords } from './record-values.js';

const record = (fields: object): TracedHealthRecord =>
  ({
    ...{ time: '2026-11-03T08:00:00Z', source: { provider: 'oura', type: 'ring' } },
    ...{ provenance: { kind: 'sync', task_id: 7, page: 2, observed_at: '', earlier_user: false } },
    ...fields,
  }) as unknown as TracedHealthRecord;

describe('values of records', () => {
  it('lists the numbers, the most common first, and draws the most useful one', () => {
    const records = [
      record({ data: { score: 80, total: 25_000, state: 'confirmed' } }),
      record({ data: { score: 70, latency: null } }),
    ];
    expect(numbersIn(records)).toEqual(['score', 'total']);
    expect(usualNumber(numbersIn(records))).toBe('total');
    expect(usualNumber(['hrv'])).toBe('hrv');
    expect(usualNumber([])).toBeUndefined();
  });

  it('draws a line for each source over one axis', () => {
    const at = (hour: number, value: number, provider: string): TracedHealthRecord =>
      record({ value, time: `2026-11-03T0${hour}:00:00Z`, source: { provider, type: 'watch' } });
    const { times, lines } = linesOf([at(2, 20, 'garmin'), at(1, 10, 'oura'), at(2, 21, 'oura')], 'value');
    expect(times.map((time) => time % 86_400)).toEqual([3_600, 7_200]);
    expect(lines).toEqual([
      { source: 'garmin watch', values: [undefined, 20] },
      { source: 'oura watch', values: [10, 21] },
    ]);
  });

  it('breaks a line where points are missing, and leaves out hidden records', () => {
    const at = (hour: number, fields = {}): TracedHealthRecord =>
      record({ value: hour, time: new Date(hour * 3_600_000).toISOString(), ...fields });
    const { times, lines } = linesOf(
      [at(1), at(2), at(3), at(9), at(10), at(11, { gone: { reason: 'gone' } })],
      'value',
    );
    expect(times.map((time) => time / 3_600)).toEqual([1, 2, 3, 6, 9, 10]);
    expect(lines[0]?.values).toEqual([1, 2, 3, null, 9, 10]);
  });

  it('shows values in one line', () => {
    expect(valueWords(record({ value: 63.456, unit: 'bpm' }))).toBe('63.46 bpm');
    expect(valueWords(record({ systolic: 121, diastolic: 79, unit: 'mmHg' }))).toBe('121/79 mmHg');
    expect(valueWords(record({ data: { a_b: 1, b: null, c: 'x', d: {}, total: 2 } }))).toBe('total 2, a b 1, 2 more');
    expect(valueWords(record({ data: { deep: 1_790, total: 25_920, score: 70 } }))).toBe(
      'total 7 h 12 min, deep 30 min, score 70',
    );
  });

  it('shows the origin of a record', () => {
    expect(originWords(record({}))).toBe('pull 7, page 2');
    expect(originWords(record({ provenance: { kind: 'message', message_id: null } }))).toBe('message, deleted since');
    expect(originWords(record({ provenance: { kind: 'message', message_id: 'msg_1' } }))).toBe('message');
  });
});
