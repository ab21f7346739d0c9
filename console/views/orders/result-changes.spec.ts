import { markersOf, resultChanges } from './result-changes.js';

type Row = Readonly<Record<string, unknown>>;

const row = (name: string, result: string, more: Row = {}): Row => ({
  name,
  loinc: `l-${name}`,
  result,
  ...more,
});

describe('what changed between versions of a result', () => {
  it('names added, changed and removed markers, with the former values', () => {
    const before = markersOf([row('a', '1'), row('b', '2', { unit: 'mg' }), row('c', '3')]);
    const after = markersOf([row('a', '1'), row('b', '4', { unit: 'g' }), row('d', '5')]);
    expect(resultChanges(before, after).map(({ marker, kind, before: was }) => [marker.name, kind, was])).toEqual([
      ['a', 'same', {}],
      ['b', 'changed', { result: '2', unit: 'mg' }],
      ['d', 'added', {}],
      ['c', 'removed', {}],
    ]);
  });

  it('distinguishes markers of the same name by sample and order', () => {
    const twice = markersOf([
      row('a', '1', { source_sample_id: 's' }),
      row('a', '2', { source_sample_id: 's' }),
      row('a', '3'),
    ]);
    expect(new Set(twice.map(({ key }) => key)).size).toBe(3);
  });

  it('reads ranges, values and legacy results that are free objects', () => {
    const [marker] = markersOf([{ slug: 'x', value: 4, min_range_value: 1, max_range_value: '9' }]);
    expect(marker).toMatchObject({ name: 'x', result: '4', range: '1 to 9' });
    expect(markersOf([{ slug: 'x', max_range_value: 9 }])[0]?.range).toBe('at most 9');
    expect(markersOf({ glucose: 5, panel: { a: 1 } }).map(({ name, result }) => [name, result])).toEqual([
      ['glucose', '5'],
      ['panel', '{"a":1}'],
    ]);
    expect(markersOf(null)).toEqual([]);
  });
});
