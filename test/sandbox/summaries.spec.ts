import { SUMMARY_NAMES } from '../../sandbox/facts/catalogue.js';
import { call, closeAll, connectedUser, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

const WINDOW = 'start_date=2026-11-01&end_date=2026-11-30';

interface Night {
  bedtime_start: string;
  bedtime_stop: string;
  duration: number;
  total: number;
  rem: number;
  light: number;
  deep: number;
}

describe('summaries of the sandbox', () => {
  const keys: Record<string, string> = { meal: 'meals' };

  it('serves every summary under its key with id, user, source and version [summaries#other-summaries]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura', resources: [...SUMMARY_NAMES], days: 2 });
    for (const name of SUMMARY_NAMES.filter((each) => each !== 'profile')) {
      const { body } = await call(sandbox, `GET /v2/summary/${name}/${user_id}?${WINDOW}`);
      const rows = body[keys[name] ?? name];
      expect([name, rows.length]).toEqual([name, 2]);
      expect(rows[0]).toMatchObject({
        id: expect.any(String),
        user_id,
        source: { provider: 'oura' },
        updated_at: expect.any(String),
      });
    }
    const profile = (await call(sandbox, `GET /v2/summary/profile/${user_id}`)).body;
    expect(profile).toMatchObject({ user_id, source: { provider: 'oura' } });
    expect((await call(sandbox, `GET /v2/summary/profile/${user_id}?start_date=2026-11-01`)).status).toBe(422);
  });

  it('keeps the arithmetic of sleep [summaries#sleep]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura', days: 20 });
    const { body } = await call(sandbox, `GET /v2/summary/sleep/${user_id}?${WINDOW}`);
    const sleep = body.sleep as Night[];
    for (const night of sleep) {
      expect(night.duration).toBe((Date.parse(night.bedtime_stop) - Date.parse(night.bedtime_start)) / 1000);
      expect(night.total).toBe(night.rem + night.light + night.deep);
    }
    const values = sleep.flatMap((night) => Object.values({ ...night, sleep_stream: 0 }));
    expect(values).toContain(null);
  });

  it('accepts dates only where upstream does [summaries#date-only-calls]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const path = `/v2/summary/sleep_cycle/${user_id}`;
    expect((await call(sandbox, `GET ${path}?start_date=2026-11-01`)).status).toBe(200);
    expect((await call(sandbox, `GET ${path}?start_date=2026-11-01T00:00:00Z`)).status).toBe(422);
    expect((await call(sandbox, `GET /v2/summary/sleep/${user_id}?start_date=2026-11-01T00:00:00Z`)).status).toBe(200);
  });

  it('streams a workout in eleven parallel arrays [summaries#workout-stream]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'garmin', resources: ['workouts'], days: 1 });
    const [workout] = (await sandbox.control.truth<{ id: string }>(user_id, 'workouts')).rows;
    const stream = (await call(sandbox, `GET /v2/timeseries/workouts/${workout?.id}/stream`)).body as Record<
      string,
      unknown[]
    >;
    expect(Object.keys(stream)).toHaveLength(11);
    expect(new Set(Object.values(stream).map((column) => column.length)).size).toBe(1);
  });
});
