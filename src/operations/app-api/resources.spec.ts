import { resourcesOf } from './resources.js';

describe('resources of an account', () => {
  it('show the stored data and the state of its history, one row per resource and source', () => {
    const rows = resourcesOf(
      [
        { resource: 'sleep', provider: 'oura', time: 86_400_000 },
        { resource: 'heartrate', provider: 'oura', time: 0 },
      ],
      [
        { resource: 'sleep', provider: 'oura', state: 'complete' },
        { resource: 'sleep', provider: 'fitbit', state: 'failed' },
      ],
      [
        { account_id: 1, resource: 'sleep', provider: 'oura', changed_at: 172_800_000 },
        { account_id: 1, resource: 'steps', provider: 'oura', changed_at: 0 },
      ],
    );
    const day = (number: number): string => `1970-01-0${number}T00:00:00.000Z`;
    expect(rows).toEqual([
      { resource: 'heartrate', provider: 'oura', newest_at: day(1), changed_at: null, history: 'unknown' },
      { resource: 'sleep', provider: 'fitbit', newest_at: null, changed_at: null, history: 'failed' },
      { resource: 'sleep', provider: 'oura', newest_at: day(2), changed_at: day(3), history: 'complete' },
      { resource: 'steps', provider: 'oura', newest_at: null, changed_at: day(1), history: 'unknown' },
    ]);
  });

  it('are empty if nothing is known', () => {
    expect(resourcesOf([], [], [])).toEqual([]);
  });
});
