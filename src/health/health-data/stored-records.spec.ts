import { lastDataByProvider } from './stored-records.service.js';

const hour = 3_600_000;
const now = new Date('2026-11-20T12:00:00Z').getTime();
const record = (provider: string, time: number) => ({ resource: 'any', provider, time });

describe('the last data of a provider', () => {
  it('is its newest record of whatever resource', () => {
    const newest = [record('oura', now - hour), record('fitbit', now - 5 * hour), record('oura', now - 2 * hour)];
    expect([...lastDataByProvider(newest, now)]).toEqual([
      ['oura', now - hour],
      ['fitbit', now - 5 * hour],
    ]);
  });

  it('may be ahead of UTC by as much as a clock can, and is no prediction', () => {
    const newest = [record('freestyle_libre', now + 14 * hour), record('apple_health_kit', now + 15 * hour)];
    expect([...lastDataByProvider(newest, now)]).toEqual([['freestyle_libre', now + 14 * hour]]);
  });
});
