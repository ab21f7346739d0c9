import { adminKeys } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;

beforeEach(async () => {
  app = await TestApp.create();
});

afterEach(() => app.close());

interface Shown {
  user_id: string;
  [field: string]: unknown;
}

interface Upstream {
  created_on: string;
  connected_sources: { created_on: string }[];
  fallback_time_zone: { updated_at: string };
  fallback_birth_date: { updated_at: string };
}

const settings = { fallback_time_zone: 'Europe/Berlin', fallback_birth_date: '1980-02-29' };
const create = (given: object = settings) => app.admin<Shown>('POST', '/accounts', { account_id: 'cust-1', ...given });
const page = async (): Promise<Shown> => (await app.admin<Shown>('GET', '/accounts/cust-1', undefined, 'viewer')).body;
const upstreamUser = async (userId: string): Promise<Upstream> => {
  const headers = { 'x-service-api-key': 'sk_us_sandbox' };
  return (await (await fetch(`${app.sandbox.url}/v2/user/${userId}`, { headers })).json()) as Upstream;
};
const instant = (text: string): string => new Date(text).toISOString();

describe('the page of an account', () => {
  it('shows when upstream created the user, and where its fallbacks come from [users#the-user-object]', async () => {
    const user = await upstreamUser((await create()).body.user_id);
    expect(await page()).toMatchObject({
      ...settings,
      user_created_at: instant(user.created_on),
      fallback_time_zone_source: 'manual',
      fallback_time_zone_updated_at: instant(user.fallback_time_zone.updated_at),
      fallback_birth_date_source: 'manual',
      fallback_birth_date_updated_at: instant(user.fallback_birth_date.updated_at),
    });
  });

  it('shows it for an imported user, and for an adopted one', async () => {
    const { users } = await app.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    const user = await upstreamUser(users[0]?.user_id ?? '');
    await create({});
    expect(await page()).toMatchObject({ user_created_at: instant(user.created_on), fallback_time_zone_source: null });
  });

  it('keeps the origin of a fallback only as long as the fallback', async () => {
    await create();
    await app.admin('PATCH', '/accounts/cust-1', { fallback_time_zone: 'UTC' });
    expect(await page()).toMatchObject({
      fallback_time_zone: 'UTC',
      fallback_time_zone_source: null,
      fallback_time_zone_updated_at: null,
      fallback_birth_date_source: 'manual',
    });
  });

  it('shows when each source was connected, as upstream does [users#connected-sources]', async () => {
    const userId = await app.connect('cust-1', 'oura', { days: 1, per_day: 1 });
    await app.advance(60, 10);
    const [source] = (await upstreamUser(userId)).connected_sources;
    const [connection] = (await page())['connections'] as { connected_at: string }[];
    expect(connection?.connected_at).toBe(instant(source?.created_on ?? ''));
  });
});

describe('a list of accounts', () => {
  it('shows no birth dates, because each read of them is recorded', async () => {
    await create();
    const { body } = await app.send('GET /admin/v1/accounts', { token: adminKeys.viewer });
    expect(Object.keys(body.data[0] ?? {}).filter((name) => name.includes('birth'))).toEqual([]);
  });
});

describe('the stored data of a user', () => {
  it('is in the export', async () => {
    await create();
    const { body } = await app.admin<string>('GET', '/accounts/cust-1/export', undefined, 'reader');
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: object });
    expect(lines.find(({ type }) => type === 'account')?.data).toMatchObject({
      fallback_time_zone_source: 'manual',
      fallback_birth_date_source: 'manual',
      user_created_at: expect.anything() as unknown,
    });
  });

  it('is empty as soon as an erasure begins to remove the account', async () => {
    await create();
    expect((await app.admin('DELETE', '/accounts/cust-1')).status).toBe(202);
    await app.advance(60, 10);
    const left = await app.store.reader.rows(
      `SELECT 1 FROM accounts WHERE user_created_at IS NOT NULL OR fallback_time_zone_source IS NOT NULL
         OR fallback_time_zone_updated_at IS NOT NULL OR fallback_birth_date_source IS NOT NULL
         OR fallback_birth_date_updated_at IS NOT NULL`,
    );
    expect(left).toEqual([]);
  });

  it('follows a new user that replaces one that is gone', async () => {
    const { body: first } = await create();
    await app.sandbox.control.eraseUser(first.user_id);
    await app.advance(3_600);
    const { body: second } = await app.admin<Shown>('POST', '/accounts/cust-1/relink');
    const user = await upstreamUser(second.user_id);
    expect(await page()).toMatchObject({
      user_created_at: instant(user.created_on),
      fallback_birth_date_updated_at: instant(user.fallback_birth_date.updated_at),
    });
  });
});
