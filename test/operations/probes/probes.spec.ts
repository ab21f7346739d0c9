import { TestApp } from '../../support/test-app.js';

describe('probes', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(() => app.close());

  it('report to every caller that the process is alive', async () => {
    const { status, body, headers } = await app.call('GET', '/livez');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('name the failing part, and succeed once it works', async () => {
    const before = await app.call<{ code: string; detail: string; errors: { field: string }[] }>('GET', '/readyz');
    expect(before.status).toBe(503);
    expect(before.headers['content-type']).toContain('application/problem+json');
    expect(before.body).toMatchObject({ code: 'not_ready', detail: 'Failing: workers.' });
    expect(before.body.errors.map(({ field }) => field)).toEqual(['workers']);

    for (const loop of app.pulsekeep.workers.all()) loop.tick();
    const after = await app.call('GET', '/readyz');
    expect([after.status, after.body]).toEqual([200, { status: 'ok' }]);
  });

  it('show figures of the process and of the store, without ids', async () => {
    const account = 'somebody-with-a-recognisable-id';
    const { body: login } = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    const { status, body, headers } = await app.call<string>('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(body).toContain('pulsekeep_accounts{status="active"} 1');
    expect(body).toContain('pulsekeep_sync_tasks{status="failed"} 0');
    expect(body).toContain('pulsekeep_process_resident_memory_bytes');
    expect(body).not.toMatch(/^pulsekeep_last_delivery_age_seconds /m);
    expect(body).not.toContain(account);
    expect(body).not.toContain(login.user_id);
  });
});
