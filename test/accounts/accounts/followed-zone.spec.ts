import { TestApp } from '../../support/test-app.js';

/** The clocks begin at 2026-11-20T12:00:00Z. */
let app: TestApp;
let userId: string;

beforeEach(async () => {
  app = await TestApp.create();
  userId = await app.connect('cust-1', 'oura', { days: 1, per_day: 1 });
  await app.advance(900, 10);
});

afterEach(() => app.close());

const hour = 3_600;
const zone = async (): Promise<unknown> => {
  return (await app.admin<Record<string, unknown>>('GET', '/accounts/cust-1')).body['fallback_time_zone'];
};
const learn = async (fallback_time_zone: string): Promise<void> => {
  const headers = { 'x-service-api-key': 'sk_us_sandbox', 'content-type': 'application/json' };
  const body = JSON.stringify({ fallback_time_zone });
  const answer = await fetch(`${app.sandbox.url}/v2/user/${userId}`, { method: 'PATCH', headers, body });
  if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
};
const former = (): Promise<{ time_zone: string; until: number }[]> =>
  app.store.reader.rows('SELECT time_zone, until FROM former_time_zones ORDER BY until');

describe('the time zone of an account', () => {
  it('follows upstream with the daily poll; a move ends the zone before', async () => {
    await learn('America/New_York');
    await app.advance(40 * hour, 20);
    expect([await zone(), await former()]).toEqual(['America/New_York', []]);
    await learn('Asia/Tokyo');
    await app.advance(40 * hour, 20);
    expect(await zone()).toBe('Asia/Tokyo');
    expect(await former()).toMatchObject([{ time_zone: 'America/New_York' }]);
  });

  it('follows upstream in an import', async () => {
    await learn('America/New_York');
    await app.admin('POST', '/accounts/import');
    await app.advance(60, 10);
    expect(await zone()).toBe('America/New_York');
  });

  it('stays as the person set it, until it is cleared', async () => {
    const set = (time_zone: unknown) => app.as<{ account: object }>('cust-1', 'PATCH', '/me', { time_zone });
    expect((await set('Europe/Berlin')).body.account).toMatchObject({ time_zone: 'Europe/Berlin' });
    await learn('Asia/Tokyo');
    await app.advance(40 * hour, 20);
    expect(await zone()).toBe('Europe/Berlin');
    expect((await set('Nowhere/City')).status).toBe(400);
    expect((await set(undefined)).status).toBe(400);
    expect((await set(null)).status).toBe(200);
    await learn('Asia/Tokyo');
    await app.advance(40 * hour, 20);
    expect(await zone()).toBe('Asia/Tokyo');
    expect(await former()).toMatchObject([{ time_zone: 'Europe/Berlin' }]);
  });
});
