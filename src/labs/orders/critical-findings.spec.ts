import { bringsOtherValues, criticalFindings, isCritical } from './critical-findings.js';

const potassium = { name: 'Potassium', slug: 'potassium', result: '7.4', unit: 'mmol/L', interpretation: 'critical' };
const sodium = { name: 'Sodium', slug: 'sodium', result: '140', unit: 'mmol/L', interpretation: 'normal' };

describe('what is critical in a result', () => {
  it('is a marker, although the result as a whole says nothing', () => {
    const [finding, ...others] = criticalFindings({ results: [sodium, potassium], interpretation: undefined });
    expect(finding).toMatchObject({ said_by: 'marker', marker: 'Potassium', finding: 'marker:potassium@' });
    expect(others).toEqual([]);
  });

  it('is the result as a whole if none of its markers says so', () => {
    expect(criticalFindings({ results: [sodium], interpretation: 'critical' })).toMatchObject([{ said_by: 'result' }]);
    expect(criticalFindings({ results: [sodium, potassium], interpretation: 'critical' })).toHaveLength(1);
    expect(criticalFindings({ results: [sodium], interpretation: 'abnormal' })).toEqual([]);
  });

  it('is another finding with another value, and the same one with another time', () => {
    const evidence = (over: object): unknown =>
      criticalFindings({ results: [{ ...potassium, ...over }], interpretation: null })[0]?.evidence;
    expect(evidence({ result: '7.9' })).not.toBe(evidence({}));
    expect(evidence({ timestamp: '2026-11-20T12:00:00+00:00' })).toBe(evidence({}));
  });

  it('is counted for each sample of an order', () => {
    const twice = ['S1', 'S2'].map((source_sample_id) => ({ ...potassium, source_sample_id }));
    expect(criticalFindings({ results: twice, interpretation: null })).toHaveLength(2);
  });

  it('is found in an old result, whose markers are an object', () => {
    const results = { K: { result: '7.4', interpretation: 'critical' }, note: 'text' };
    expect(criticalFindings({ results, interpretation: null })).toMatchObject([{ marker: 'K' }]);
  });

  it('is found in an old result at any depth, and another value of it is another one', () => {
    const results = (value: string): object => ({
      panel: { K: { value, interpretation: 'critical' } },
      list: [sodium],
    });
    expect(criticalFindings({ results: results('7.4'), interpretation: null })).toMatchObject([{ marker: 'K' }]);
    const evidence = (value: string): unknown =>
      criticalFindings({ results: { K: value }, interpretation: 'critical' })[0]?.evidence;
    expect(evidence('7.9')).not.toBe(evidence('7.4'));
  });

  it("is what the lab's own word says, whatever upstream makes of it", () => {
    const results = [{ ...potassium, interpretation: 'abnormal', source_interpretation: 'HH' }];
    expect(criticalFindings({ results, interpretation: 'abnormal' })).toMatchObject([
      { said_by: 'marker', interpretation: 'HH' },
    ]);
  });

  it.each([
    ['another value of a marker', [{ ...potassium, result: '7.9' }], true],
    ['the same values', [{ ...potassium, timestamp: 'later' }], false],
    ['one more that is abnormal', [potassium, { ...sodium, interpretation: 'abnormal' }], true],
    ['one more that is normal', [potassium, sodium], false],
    ['an old result', { K: '7.4' }, true],
  ])('has other values than before in %s', (_, after, expected) => {
    expect(bringsOtherValues([potassium], after)).toBe(expected);
  });

  it('is of another value also if the marker has no word of its own', () => {
    const [before, after] = [
      { ...potassium, interpretation: null },
      { ...potassium, interpretation: null, result: '7.9' },
    ];
    expect([bringsOtherValues([before], [after]), bringsOtherValues([before], [before, sodium])]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ['critical', true],
    ['Critically High', true],
    ['high-critical', true],
    ['CriticalLow', true],
    ['panic_high', true],
    ['HH', true],
    ['HH*', true],
    ['>> PH', true],
    ['CRIT', true],
    ['crit_low', true],
    ['critical (called)', true],
    ['Alert High', true],
    ['ALERT', true],
    ['no alert', false],
    ['CH', true],
    ['critter', false],
    ['H*', false],
    ['ll', true],
    ['H', false],
    ['nonCritical', false],
    ['not critical', false],
    ['Critical', true],
    ['critical_high', true],
    ['abnormal', false],
    ['non_critical', false],
    [null, false],
    [1, false],
  ])('by the interpretation %j: %s', (interpretation, expected) => {
    expect(isCritical(interpretation)).toBe(expected);
  });
});
