import { TestPulsekeep } from '../support/test-pulsekeep.js';

describe('probes', () => {
  let test: TestPulsekeep;

  beforeAll(async () => {
    test = await TestPulsekeep.create();
  });

  afterAll(() => test.close());

  it('say that the process is alive, to everybody', async () => {
    const { status, body, headers } = await test.call('GET', '/livez');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('name the part that fails, and are content once it works', async () => {
    const before = await test.call<{ code: string; detail: string; errors: { field: string }[] }>('GET', '/readyz');
    expect(before.status).toBe(503);
    expect(before.headers.get('content-type')).toContain('application/problem+json');
    expect(before.body).toMatchObject({ code: 'not_ready', detail: 'Failing: workers.' });
    expect(before.body.errors.map(({ field }) => field)).toEqual(['workers']);

    for (const loop of test.pulsekeep.workers.all()) loop.tick();
    const after = await test.call('GET', '/readyz');
    expect([after.status, after.body]).toEqual([200, { status: 'ok' }]);
  });

  it('show figures of the process and of the store, without ids', async () => {
    const account = 'somebody-with-a-recognisable-id';
    const { body: login } = await test.app<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    const { status, body, headers } = await test.call<string>('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(body).toContain('pulsekeep_accounts{status="active"} 1');
    expect(body).toContain('pulsekeep_sync_tasks{status="failed"} 0');
    expect(body).toContain('pulsekeep_process_resident_memory_bytes');
    expect(body).not.toMatch(/^pulsekeep_last_delivery_age_seconds /m);
    expect(body).not.toContain(account);
    expect(body).not.toContain(login.user_id);
  });
});
