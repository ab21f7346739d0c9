import { resourcesOf } from './resources.js';

describe('resources of an account', () => {
  it('are what is stored and what is known of its history, one row per resource and source', () => {
    const rows = resourcesOf(
      [
        { resource: 'sleep', provider: 'oura', time: 86_400_000 },
        { resource: 'heartrate', provider: 'oura', time: 0 },
      ],
      [
        { resource: 'sleep', provider: 'oura', state: 'complete' },
        { resource: 'sleep', provider: 'fitbit', state: 'failed' },
      ],
    );
    expect(rows).toEqual([
      { resource: 'heartrate', provider: 'oura', newest_at: '1970-01-01T00:00:00.000Z', history: 'unknown' },
      { resource: 'sleep', provider: 'fitbit', newest_at: null, history: 'failed' },
      { resource: 'sleep', provider: 'oura', newest_at: '1970-01-02T00:00:00.000Z', history: 'complete' },
    ]);
  });

  it('are none where nothing is known', () => {
    expect(resourcesOf([], [])).toEqual([]);
  });
});
