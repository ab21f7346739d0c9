import { lastDataByProvider } from './newest-records.service.js';

const hour = 3_600_000;
const now = new Date('2026-11-20T12:00:00Z').getTime();
const record = (provider: string, time: number) => ({ resource: 'any', provider, time });

describe('the last data of a provider', () => {
  it('is its newest record of any resource', () => {
    const newest = [record('oura', now - hour), record('fitbit', now - 5 * hour), record('oura', now - 2 * hour)];
    expect([...lastDataByProvider(newest)]).toEqual([
      ['oura', now - hour],
      ['fitbit', now - 5 * hour],
    ]);
  });
});
