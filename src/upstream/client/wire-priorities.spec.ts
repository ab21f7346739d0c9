import { readSourcePriorities } from './wire-priorities.js';

const ring = { provider: 'oura', type: 'ring' };
const anyWatch = { provider: 'garmin', type: null };

describe('source priorities, in any shape that upstream sends', () => {
  it.each<[string, unknown]>([
    ['in list order', [{ provider: 'oura', source_type: 'ring' }, { provider: 'garmin' }]],
    [
      'by position',
      [
        { provider: 'garmin', priority: 2 },
        { provider: 'oura', source_type: 'ring', priority: 1 },
      ],
    ],
    [
      'as nested objects',
      [{ source: { slug: 'oura', type: 'ring' } }, { provider: { slug: 'garmin', name: 'Garmin' } }],
    ],
    ['from a nested list', [{ data_type: 'sleep', sources: [{ slug: 'oura', type: 'ring' }, 'garmin'] }]],
    [
      'without those of other data types',
      [{ data_type: 'body', provider: 'withings' }, { data_type: 'sleep', ...ring, source_type: 'ring' }, 'garmin'],
    ],
  ])('are read %s', (_name, wire) => {
    expect(readSourcePriorities(wire, 'sleep')).toMatchObject({ sources: [ring, anyWatch], unreadable: 0 });
  });

  it('keep list order if two have the same position', () => {
    const wire = [
      { provider: 'oura', source_type: 'ring', priority: 1 },
      { provider: 'garmin', priority: 1 },
    ];
    expect(readSourcePriorities(wire, 'sleep').sources).toEqual([ring, anyWatch]);
  });

  it.each<[string, unknown, number]>([
    ['an empty list', [], 0],
    ['anything but a list', { detail: 'none' }, 1],
    ['null', null, 1],
    ['a number', [7], 1],
    ['an object without a source', [{ id: 4, priority: 1 }], 1],
    ['a control character', ['ou\u0000ra'], 1],
  ])('from %s have no source and are counted', (_name, wire, unreadable) => {
    expect(readSourcePriorities(wire, 'sleep')).toEqual({ sources: [], unreadable });
  });
});
