import type { OverviewDto } from '../../../src/operations/overview/overview.dto.js';
import { HOUR, SECOND } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

describe('the lag of pulls', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ env: { SYNC_MAX_INTERVAL_SECONDS: '3600' } });
    await app.connect('anna', 'oura', { days: 2, per_day: 1 });
    await app.settle();
    await app.advance((2 * HOUR) / SECOND, 8);
  });

  afterEach(() => app.close());

  const overview = async (): Promise<OverviewDto> => (await app.admin<OverviewDto>('GET', '/overview')).body;

  it('is small while pulls are on time, and grows while upstream is away, although each pull is deferred', async () => {
    expect((await overview()).sync.lag_seconds).toBeLessThanOrEqual(900);
    await app.sandbox.control.fault({ kind: 'status', path: '/v2/', status: 503 });
    await app.advance(HOUR / SECOND, 12);
    const before = (await overview()).sync.lag_seconds;
    await app.advance(600, 20);
    const { sync, waiting } = await overview();
    expect(sync.lag_seconds - before).toBe(600);
    expect(waiting).toContainEqual({ kind: 'sync_task', last_error: 'upstream_unavailable', count: 3 });
    expect(app.logs.filter((line) => line.includes('worker.round_failed'))).toEqual([]);
    await app.sandbox.control.clearFaults();
    await app.advance(900, 30);
    const after = await overview();
    expect(after.sync.lag_seconds).toBeLessThanOrEqual(30);
    expect(after.waiting).toEqual([]);
  });

  it('is small after pulls that were made while the clock was days ahead', async () => {
    app.clock.step(48 * HOUR);
    await app.advance((2 * HOUR) / SECOND, 8);
    app.clock.step(-48 * HOUR);
    await app.advance((6 * HOUR) / SECOND, 24);
    expect((await overview()).sync.lag_seconds).toBeLessThanOrEqual(900);
  });
});
