import { type Resource, resourceByName } from '../catalogue/catalogue.js';
import { dataTypeOf, type PreferredSource, rankSources } from './priority-rule.js';

const source = (name: string): { provider: string; sourceType: string } => {
  const [provider = '', sourceType = ''] = name.split('/');
  return { provider, sourceType };
};
const prefer = (name: string): PreferredSource => {
  const { provider, sourceType } = source(name);
  return { provider, type: sourceType === '' ? null : sourceType };
};

function ranked(order: readonly string[], ...sources: string[]): string[] {
  return rankSources(order.map(prefer), sources.map(source)).map(
    ({ provider, sourceType }) => `${provider}/${sourceType}`,
  );
}

describe('the order of sources', () => {
  it('follows the list, by type if an entry names one', () => {
    const order = ['withings/scale', 'oura', 'withings'];
    expect(ranked(order, 'withings/watch', 'oura/ring', 'withings/scale')).toEqual([
      'withings/scale',
      'oura/ring',
      'withings/watch',
    ]);
  });

  it('has unlisted sources after all listed ones, even a device after a phone', () => {
    expect(ranked(['apple_health_kit/phone'], 'oura/ring', 'apple_health_kit/phone')).toEqual([
      'apple_health_kit/phone',
      'oura/ring',
    ]);
  });

  it('without a list has devices before apps, phones and unknown types, then follows the names', () => {
    const all = ['a/unknown', 'a/phone', 'b/phone', 'a/app', 'z/watch', 'b/watch', 'b/ring', 'a/multiple_sources'];
    expect(ranked([], ...all)).toEqual([
      ...['b/ring', 'b/watch', 'z/watch'],
      ...['a/multiple_sources', 'a/app', 'a/phone', 'b/phone', 'a/unknown'],
    ]);
  });

  it('of a measure has what measures all day before what does so for a session, and what is made for it first', () => {
    const all = ['a/phone', 'a/cuff', 'b/chest_strap', 'z/watch', 'a/fingerprick', 'y/scale'].map(source);
    const first = (name: string): string | undefined =>
      rankSources([], all, resourceByName(name) as Resource)[0]?.sourceType;
    const types = rankSources([], all, resourceByName('heartrate') as Resource).map(({ sourceType }) => sourceType);
    expect(types).toEqual(['watch', 'cuff', 'fingerprick', 'chest_strap', 'scale', 'phone']);
    expect(['blood_pressure', 'body_weight', 'steps'].map(first)).toEqual(['cuff', 'scale', 'cuff']);
    expect(rankSources([prefer('b')], all, resourceByName('heartrate') as Resource)[0]?.sourceType).toBe('chest_strap');
  });

  it.each([
    ['workout_stream', 'workouts'],
    ['sleep_cycle', 'sleep'],
    ['activity', 'activity'],
    ['meal', 'meal'],
    ['heartrate', 'timeseries'],
    ['blood_pressure', 'timeseries'],
  ])('of %s is the list of %s', (resource, dataType) => {
    expect(dataTypeOf(resourceByName(resource) as NonNullable<ReturnType<typeof resourceByName>>)).toBe(dataType);
  });
});
