import { call, closeAll, connectedUser, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

describe('faults of the sandbox', () => {
  it('answers a status with retry-after as often as asked, after the calls let through', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.fault({ kind: 'status', path: '/v2/user', status: 429, retry_after: 7, times: 1, skip: 1 });
    const answers = [];
    for (let index = 0; index < 3; index += 1) answers.push(await call(sandbox, 'GET /v2/user'));
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 200]);
    expect(answers[1]?.headers.get('retry-after')).toBe('7');
  });

  it('answers a status with a body of its own', async () => {
    const sandbox = await sandboxFor();
    const page = { status: 502, body: '<h1>Bad gateway</h1>', content_type: 'text/html' };
    await sandbox.control.fault({ kind: 'status', path: '/v2/user', ...page });
    const response = await fetch(`${sandbox.url}/v2/user`, { headers: { 'x-service-api-key': 'sk_us_sandbox' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect(await response.text()).toBe(page.body);
  });

  it('tells a call dropped before from one dropped after its effect', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.fault({ kind: 'drop_before', path: '/v2/user', method: 'POST', times: 1 });
    await expect(call(sandbox, 'POST /v2/user', { client_user_id: 'a' })).rejects.toThrow();
    expect((await sandbox.control.truthUsers()).users).toHaveLength(0);
    await sandbox.control.fault({ kind: 'drop_after', path: '/v2/user', method: 'POST', times: 1 });
    await expect(call(sandbox, 'POST /v2/user', { client_user_id: 'a' })).rejects.toThrow();
    expect((await sandbox.control.truthUsers()).users).toHaveLength(1);
    const { calls, counts } = await sandbox.control.calls({ path: '/v2/user' });
    expect(counts).toEqual({ 'POST /v2/user': 2 });
    expect(calls.map(({ status }) => status)).toEqual([null, null]);
  });

  it('cuts an answer in the middle', async () => {
    const sandbox = await sandboxFor({ users: 3 });
    await sandbox.control.fault({ kind: 'truncate', path: '/v2/user', times: 1 });
    await expect(call(sandbox, 'GET /v2/user')).rejects.toThrow();
    expect((await call(sandbox, 'GET /v2/user')).status).toBe(200);
  });

  it('never answers a call that times out', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.fault({ kind: 'timeout', path: '/v2/user', delay_ms: 20 });
    await expect(call(sandbox, 'GET /v2/user')).rejects.toThrow();
  });

  it.each(['bad_json', 'empty', 'plain_text_500', 'slow'] as const)('serves %s', async (kind) => {
    const sandbox = await sandboxFor();
    await sandbox.control.fault({ kind, path: '^/v2/user/?$', delay_ms: 1 });
    const response = await fetch(`${sandbox.url}/v2/user`, { headers: { 'x-service-api-key': 'sk_us_sandbox' } });
    const text = await response.text();
    const seen = {
      bad_json: '200 {"users":[],"total":0,"offset":0,"limit":100,,',
      empty: '200 ',
      plain_text_500: '500 Internal Server Error',
      slow: '200 {"users":[],"total":0,"offset":0,"limit":100}',
    };
    expect(`${response.status} ${text}`).toBe(seen[kind]);
  });

  it('repeats the cursor of a page', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ page_size: 2 });
    const user_id = await connectedUser(sandbox);
    await sandbox.control.fault({ kind: 'repeat_cursor', path: '/v2/timeseries' });
    const path = `/v2/timeseries/${user_id}/blood_pressure/grouped?start_date=2026-11-01`;
    const first = (await call(sandbox, `GET ${path}`)).body.next_cursor;
    const second = (await call(sandbox, `GET ${path}&next_cursor=${first}`)).body;
    expect([second.next_cursor, second.next]).toEqual([first, first]);
  });

  it('counts calls by template without values', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    await call(sandbox, `GET /v2/user/${user_id}`);
    await call(sandbox, 'GET /v2/user?limit=3');
    const { calls, counts } = await sandbox.control.calls();
    expect(counts).toEqual({ 'GET /v2/user/:user_id': 1, 'GET /v2/user': 1 });
    expect(calls[1]).toMatchObject({ status: 200, query_keys: ['limit'] });
    expect((await sandbox.control.calls({ path: '/v2/user/:user_id' })).calls).toHaveLength(1);
    await sandbox.control.clearCalls();
    expect((await sandbox.control.calls()).calls).toHaveLength(0);
  });

  it('refuses unknown fields of the controls too', async () => {
    const sandbox = await sandboxFor();
    await expect(sandbox.control.send({ kind: 'x' } as object)).rejects.toThrow('400');
  });
});
