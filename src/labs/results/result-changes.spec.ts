import { changedMarkers } from './result-changes.js';

const content = (...results: object[]): string => JSON.stringify({ metadata: {}, results });
const potassium = { name: 'Potassium', slug: 'k', result: '7.4', unit: 'mmol/L', interpretation: 'critical' };

describe('what changed between two versions of a result', () => {
  it.each([
    ['a higher value', { result: '7.9' }, 'higher'],
    ['a lower value', { result: '4.1', interpretation: 'normal' }, 'lower'],
    ['another interpretation alone', { interpretation: 'abnormal' }, null],
    ['a value in another unit', { result: '29', unit: 'mg/dL' }, null],
    ['a text', { result: 'haemolysed' }, null],
    ['a value beyond a limit', { result: '>8' }, null],
  ])('is %s', (_, over, direction) => {
    const [change, ...others] = changedMarkers(content(potassium), content({ ...potassium, ...over }));
    const { result, unit, interpretation } = { ...potassium, ...over };
    expect(change).toMatchObject({ name: 'Potassium', change: 'changed', direction });
    expect(change?.after).toEqual({ result, unit, interpretation, reference_range: null, out_of_range: null });
    expect(change?.before).toMatchObject({ result: '7.4', interpretation: 'critical' });
    expect(others).toEqual([]);
  });

  it('is also the range of an age or a sex that was corrected, and where the value lies in it', () => {
    const before = { ...potassium, interpretation: 'normal', min_range_value: 3.5, max_range_value: 8 };
    const after = { ...before, max_range_value: 5.1, is_above_max_range: true };
    expect(changedMarkers(content(before), content(after))).toMatchObject([
      {
        ...{ change: 'changed', direction: null },
        before: { result: '7.4', reference_range: '3.5 - 8', out_of_range: null },
        after: { result: '7.4', reference_range: '3.5 - 5.1', out_of_range: 'above' },
      },
    ]);
    const written = {
      ...after,
      reference_range: '3.5-5.1 mmol/L',
      is_above_max_range: false,
      is_below_min_range: true,
    };
    expect(changedMarkers(content(after), content(written))).toMatchObject([
      { after: { reference_range: '3.5-5.1 mmol/L', out_of_range: 'below' } },
    ]);
  });

  it('is a marker that came or went, by sample and position, and nothing of what is equal', () => {
    const twice = ['S1', 'S2'].map((source_sample_id) => ({ ...potassium, source_sample_id }));
    expect(changedMarkers(content(...twice), content(...twice))).toEqual([]);
    expect(changedMarkers(content(...twice), content(twice[0] ?? {}))).toMatchObject([
      { change: 'removed', sample_id: 'S2', after: null },
    ]);
    expect(changedMarkers(content(potassium), content(potassium, potassium))).toMatchObject([
      { change: 'added', before: null },
    ]);
  });

  it('is found in an old result, whose markers are an object', () => {
    const old = (value: number): string => JSON.stringify({ metadata: {}, results: { K: { value } } });
    expect(changedMarkers(old(7), old(6.5))).toMatchObject([{ name: 'K', direction: 'lower' }]);
  });
});
