import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Listed {
  account_id: string;
  provider: string;
  status: string;
  retirement: {
    successor: string;
    successor_status: string | null;
    evidence: Record<string, boolean>;
    ready_to_disconnect: boolean;
  } | null;
}

interface Connected {
  provider: string;
  connected_at: string;
  observed_at: string;
}

interface SourcePage {
  data: Listed[];
  next_cursor: string | null;
}

describe('people whose provider was retired', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
    user_id = await app.connect(account_id, 'fitbit', { days: 2, per_day: 4 });
    await app.advance(900, 5);
  });

  afterEach(() => app.close());

  const page = async (query: string): Promise<SourcePage> => {
    const { status, body } = await app.admin<SourcePage>('GET', `/sources?${query}`, undefined, 'viewer');
    expect(status).toBe(200);
    return body;
  };
  const retired = async (): Promise<Listed[]> => (await page('retired=true')).data;
  const replace = (provider: string): Promise<{ status: number; body: Record<string, unknown> }> =>
    app.admin('POST', `/accounts/${account_id}/sources/${provider}/disconnect`);
  const overview = async (): Promise<number> =>
    (await app.admin<{ retired_sources: number }>('GET', '/overview')).body.retired_sources;

  it('are listed with the successor until the old source is disconnected [connections#retired-providers]', async () => {
    expect(await retired()).toEqual([
      {
        account_id,
        provider: 'fitbit',
        status: 'connected',
        error_type: null,
        connected_at: expect.any(String),
        data_changed_at: expect.any(String),
        observed_at: expect.any(String),
        retirement: {
          retired_on: '2026-09-30',
          successor: 'google_health',
          successor_status: null,
          successor_connected_at: null,
          evidence: { connected: false, history_complete: false, records_stored: false, new_record: false },
          ready_to_disconnect: false,
        },
      },
    ]);
    expect(await overview()).toBe(1);
    expect(await app.figures()).toContain('pulsekeep_retired_sources 1');
    await app.sandbox.control.breakConnection({ user_id, provider: 'fitbit', error_type: 'deregistered_per_provider' });
    await app.settle();
    expect(await retired()).toMatchObject([{ status: 'error' }]);
    expect((await page('status=error')).data).toMatchObject([{ account_id, provider: 'fitbit' }]);
    expect((await page('status=connected')).data).toEqual([]);
    await app.as(account_id, 'DELETE', '/me/sources/fitbit');
    expect(await retired()).toEqual([]);
    expect(await overview()).toBe(0);
  });

  it('may drop the old source only after history and a new record of the successor', async () => {
    const evidence = async (): Promise<[string[], boolean | undefined]> => {
      const [row] = await retired();
      const found = Object.entries(row?.retirement?.evidence ?? {}).filter(([, holds]) => holds);
      return [found.map(([name]) => name), row?.retirement?.ready_to_disconnect];
    };
    await app.sandbox.control.connect({
      user_id,
      provider: 'google_health',
      resources: ['blood_pressure'],
      history: { days: 3, per_day: 4 },
    });
    await app.settle();
    expect(await evidence()).toEqual([['connected'], false]);
    await app.advance(900, 5);
    expect(await evidence()).toEqual([['connected', 'history_complete', 'records_stored'], false]);
    expect(await replace('fitbit')).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'The successor google_health has not taken over yet; missing: new_record.' },
    });
    expect(await retired()).toHaveLength(1);
    await app.advance(3_600);
    const points = [{ timestamp: new Date(app.clock.now() - 60_000).toISOString(), systolic: 120, diastolic: 80 }];
    await app.sandbox.control.put({ user_id, provider: 'google_health', resource: 'blood_pressure', points });
    await app.settle();
    expect(await evidence()).toEqual([['connected', 'history_complete', 'records_stored', 'new_record'], true]);
    await app.sandbox.control.breakConnection({
      user_id,
      provider: 'google_health',
      error_type: 'token_refresh_failed',
    });
    await app.settle();
    expect(await evidence()).toEqual([[], false]);
    expect((await replace('fitbit')).status).toBe(409);
  });

  it('lose the old source once the successor has taken over, and keep the time in which both delivered', async () => {
    const points = [{ timestamp: new Date(app.clock.now() + 3_000_000).toISOString(), systolic: 120, diastolic: 80 }];
    const successor = { user_id, provider: 'google_health' };
    const history = { days: 3, per_day: 4 };
    await app.sandbox.control.connect({ ...successor, resources: ['blood_pressure'], history });
    await app.settle();
    await app.advance(3_600, 5);
    await app.sandbox.control.put({ ...successor, resource: 'blood_pressure', points });
    await app.settle();
    expect(await replace('fitbit')).toMatchObject({ status: 200, body: { outcome: 'disconnected' } });
    expect(await replace('fitbit')).toMatchObject({ status: 200, body: { outcome: 'already_disconnected' } });
    expect(await replace('google_health')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const { body } = await app.admin<{ connections: Connected[]; overlaps: object[] }>(
      'GET',
      `/accounts/${account_id}`,
    );
    const end = body.connections.find(({ provider }) => provider === 'fitbit')?.observed_at;
    const start = body.connections.find(({ provider }) => provider === 'google_health')?.connected_at;
    expect(body.overlaps).toEqual([{ provider: 'fitbit', successor: 'google_health', start, end }]);
  });

  it('are listed page by page, and others on request', async () => {
    const more = [newAccountId(), newAccountId()];
    for (const id of more) await app.connect(id, 'fitbit', { days: 1, per_day: 1 });
    await app.sandbox.control.connect({ user_id, provider: 'oura' });
    await app.settle();
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const found: SourcePage = await page(`retired=true&limit=1${cursor && `&cursor=${cursor}`}`);
      expect(found.data).toHaveLength(1);
      seen.push(...found.data.map((row) => row.account_id));
      cursor = found.next_cursor;
    }
    expect(seen).toEqual([account_id, ...more]);
    const others = (await page('retired=false')).data;
    expect(others.map(({ provider, retirement }) => [provider, retirement])).toEqual([['oura', null]]);
    expect((await page('provider=oura')).data).toHaveLength(1);
    expect((await page('')).data).toHaveLength(4);
    expect((await app.admin('GET', '/sources?retired=maybe')).status).toBe(400);
  });

  it('are told by explain to connect the successor, not to reconnect', async () => {
    await app.as(account_id, 'DELETE', '/me/sources/fitbit');
    await app.advance(4 * 86_400, 4);
    const day = new Date(app.clock.now() - 86_400_000).toISOString().slice(0, 10);
    const path = `/accounts/${account_id}/explain?resource=sleep&day=${day}&provider=fitbit`;
    const told = await app.admin<{ reason: string; conclusion: string }>('GET', path);
    expect(told.body.reason).toBe('provider_retired');
    expect(told.body.conclusion).toContain('ask the person to connect its successor google_health');
    const shown = await app.admin<{ connections: object[] }>('GET', `/accounts/${account_id}`);
    expect(shown.body.connections).toMatchObject([
      { provider: 'fitbit', retirement: { retired_on: '2026-09-30', successor: 'google_health' } },
    ]);
    await app.sandbox.control.connect({ user_id, provider: 'google_health' });
    await app.settle();
    const later = await app.admin<{ conclusion: string }>('GET', path);
    expect(later.body.conclusion).toContain('its successor google_health is connected');
  });
});
