import { call, closeAll, connectedUser, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

const UNKNOWN = '00000000-0000-4000-8000-00000000dead';

describe('users of the sandbox', () => {
  it('returns a created user with status 200 and the complete object, with and without the slash [users#create]', async () => {
    const sandbox = await sandboxFor();
    const created = await call(sandbox, 'POST /v2/user', { client_user_id: 'a', fallback_time_zone: 'Europe/Berlin' });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({
      client_user_id: 'a',
      connected_sources: [],
      fallback_time_zone: { id: 'Europe/Berlin', source_slug: 'manual' },
      fallback_birth_date: null,
    });
    expect(created.body.created_on).toMatch(/\+00:00$/);
    expect((await call(sandbox, 'POST /v2/user/', { client_user_id: 'b' })).body.fallback_time_zone).toBeNull();
  });

  it('refuses a taken client id with the id of the existing user [users#conflict]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox, 'a');
    const refused = await call(sandbox, 'POST /v2/user', { client_user_id: 'a' });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toEqual({
      error_type: 'INVALID_REQUEST',
      error_message: expect.any(String),
      user_id,
      created_on: expect.any(String),
    });
  });

  it('varies the wording of a refusal over time [errors-and-limits#error-bodies]', async () => {
    const sandbox = await sandboxFor();
    const texts = new Set<string>();
    for (let index = 0; index < 12; index += 1) {
      texts.add((await call(sandbox, `GET /v2/user/${UNKNOWN}`)).text);
    }
    expect(texts.size).toBeGreaterThan(1);
  });

  it.each([
    ['POST /v2/user', {}, ['body', 'client_user_id'], 'missing'],
    ['POST /v2/user', { client_user_id: 7 }, ['body', 'client_user_id'], 'string_parsing'],
    ['POST /v2/user', { client_user_id: 'x', e_mail: 'y' }, ['body', 'e_mail'], 'extra_forbidden'],
    [
      'POST /v2/user',
      { client_user_id: 'x', fallback_time_zone: 'Nowhere/City' },
      ['body', 'fallback_time_zone'],
      'value_error',
    ],
    ['GET /v2/user?limit=ten', undefined, ['query', 'limit'], 'string_pattern_mismatch'],
    ['GET /v2/user?page=2', undefined, ['query', 'page'], 'extra_forbidden'],
    ['POST /v2/user/not-a-uuid/sign_in_token', undefined, ['path', 'user_id'], 'uuid_parsing'],
    ['POST /v2/link/token', undefined, ['body'], 'missing'],
    ['POST /v2/link/token', { user_id: UNKNOWN, on_error: 'close' }, ['body', 'on_error'], 'enum'],
  ])('refuses %s %j with 422 at %j', async (line, body, loc, type) => {
    const sandbox = await sandboxFor();
    const answer = await call(sandbox, line, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toContainEqual(expect.objectContaining({ loc, type, msg: expect.any(String) }));
  });

  it('returns a text detail for a malformed id in the user path [errors-and-limits#error-bodies]', async () => {
    const sandbox = await sandboxFor();
    const answer = await call(sandbox, 'GET /v2/user/not-a-uuid');
    expect([answer.status, typeof answer.body.detail]).toEqual([422, 'string']);
  });

  it('refuses a missing and a wrong key with 401 [environments#authentication]', async () => {
    const sandbox = await sandboxFor();
    expect((await call(sandbox, 'GET /v2/user', undefined, {})).status).toBe(401);
    expect((await call(sandbox, 'GET /v2/user', undefined, { 'x-service-api-key': 'sk_us_other' })).status).toBe(401);
  });

  it('lists in order of creation, and returns a plain-text 500 for invalid paging', async () => {
    const sandbox = await sandboxFor({ users: 5 });
    const page = await call(sandbox, 'GET /v2/user/?offset=1&limit=2');
    expect(page.body).toMatchObject({ total: 5, offset: 1, limit: 2 });
    expect((page.body.users as { client_user_id: string }[]).map((user) => user.client_user_id)).toEqual([
      'user-00002',
      'user-00003',
    ]);
    const bad = await call(sandbox, 'GET /v2/user/?limit=501');
    expect([bad.status, bad.headers.get('content-type')?.split(';')[0]]).toEqual([500, 'text/plain']);
  });

  it('patches with 204, refuses an empty patch, a taken id and a null id [users#change]', async () => {
    const sandbox = await sandboxFor({ users: 1 });
    const user_id = await newUser(sandbox, 'a');
    const patched = await call(sandbox, `PATCH /v2/user/${user_id}`, { ingestion_start: '2026-01-01' });
    expect([patched.status, patched.text]).toEqual([204, '']);
    expect((await call(sandbox, `GET /v2/user/${user_id}`)).body.ingestion_end).toBe('0001-01-01');
    expect((await call(sandbox, `PATCH /v2/user/${user_id}`, {})).status).toBe(400);
    expect((await call(sandbox, `PATCH /v2/user/${user_id}`, { client_user_id: 'user-00001' })).status).toBe(409);
    expect((await call(sandbox, `PATCH /v2/user/${user_id}`, { client_user_id: null })).status).toBe(422);
  });

  it('deletes with seven days of grace [users#delete]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox, 'a');
    expect((await call(sandbox, `DELETE /v2/user/${user_id}`)).body).toEqual({ success: true });
    expect((await call(sandbox, `GET /v2/user/${user_id}`)).status).toBe(404);
    expect((await call(sandbox, `POST /v2/user/undo_delete?user_id=${user_id}`)).body).toEqual({ success: true });
    await call(sandbox, `DELETE /v2/user/${user_id}`);
    await sandbox.control.advance(8 * 86_400);
    expect((await call(sandbox, 'POST /v2/user/undo_delete?client_user_id=a')).status).toBe(404);
    expect((await call(sandbox, 'POST /v2/user/undo_delete')).status).toBe(422);
  });

  it('holds at most 50 live users until the limit is lifted [environments#user-limit]', async () => {
    const sandbox = await sandboxFor({ users: 50 });
    const refused = await call(sandbox, 'POST /v2/user', { client_user_id: 'one-more' });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toEqual({ error_type: 'INVALID_REQUEST', error_message: expect.any(String) });
    await sandbox.control.configure({ user_limit: null });
    expect((await call(sandbox, 'POST /v2/user', { client_user_id: 'one-more' })).status).toBe(200);
  });

  it('resolves and searches users, and returns 404 for unknown ones [users#look-up]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox, 'a/b 1');
    expect((await call(sandbox, `GET /v2/user/resolve/${encodeURIComponent('a/b 1')}`)).body.user_id).toBe(user_id);
    expect((await call(sandbox, 'GET /v2/user/resolve/zz')).status).toBe(404);
    expect((await call(sandbox, `GET /v2/team/users/search?query_id=${user_id.slice(0, 6)}`)).body).toHaveLength(1);
    expect((await call(sandbox, `POST /v2/user/${UNKNOWN}/sign_in_token`)).status).toBe(404);
    expect((await call(sandbox, 'GET /v2/nothing')).body).toEqual({ detail: 'Not Found' });
  });
});

describe('tokens of the sandbox', () => {
  it('issues a new sign-in token at every call [linking-and-tokens#sign-in-token]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const first = await call(sandbox, `POST /v2/user/${user_id}/sign_in_token`);
    const second = await call(sandbox, `POST /v2/user/${user_id}/sign_in_token`);
    expect(first.body).toEqual({ user_id, sign_in_token: expect.any(String) });
    expect(second.body.sign_in_token).not.toBe(first.body.sign_in_token);
  });

  it('lets a link token connect once; a failed attempt does not use it up [linking-and-tokens#single-use]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const asked = { user_id, redirect_url: 'https://app.example/back?x=1' };
    const { link_token } = (await call(sandbox, 'POST /v2/link/token', asked)).body;
    const failed = await sandbox.control.link({ link_token, provider: 'oura', outcome: 'user_cancelled' });
    expect(failed).toMatchObject({ state: 'error', error_type: 'user_cancelled' });
    expect(failed.redirect_to).toContain('x=1&state=error&error_type=user_cancelled');
    const linked = await sandbox.control.link({ link_token, provider: 'oura' });
    expect(linked).toEqual({ state: 'success', redirect_to: 'https://app.example/back?x=1&state=success', user_id });
    expect(await sandbox.control.link({ link_token })).toMatchObject({ error_type: 'token_consumed' });
  });

  it('lets a link token expire [linking-and-tokens#life-of-a-link-token]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const { link_token } = (await call(sandbox, 'POST /v2/link/token', { user_id })).body;
    await sandbox.control.advance(601);
    expect(await sandbox.control.link({ link_token })).toMatchObject({ error_type: 'token_expired' });
  });
});

describe('connections of the sandbox', () => {
  it('shows a connection in the user, the providers and the devices [connections#devices]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura' });
    const user = (await call(sandbox, `GET /v2/user/${user_id}`)).body;
    expect(user.connected_sources[0]).toMatchObject({ provider: { slug: 'oura' }, source: { slug: 'oura' } });
    const { providers } = (await call(sandbox, `GET /v2/user/providers/${user_id}`)).body;
    expect(providers[0]).toMatchObject({ slug: 'oura', status: 'connected', error_details: null });
    const devices = (await call(sandbox, `GET /v2/user/${user_id}/device`)).body;
    expect(devices[0]).toMatchObject({ user_id, provider: 'oura', source_type: 'ring' });
    expect((await call(sandbox, `GET /v2/user/${user_id}/device/${devices[0].id}`)).body).toEqual(devices[0]);
  });

  it('shows a broken connection with its error, and no deregistered one', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura' });
    await sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    const broken = (await call(sandbox, `GET /v2/user/providers/${user_id}`)).body.providers[0];
    expect(broken).toMatchObject({ status: 'error', error_details: { error_type: 'token_refresh_failed' } });
    expect((await call(sandbox, `DELETE /v2/user/${user_id}/oura`)).body).toEqual({ success: true });
    expect((await call(sandbox, `GET /v2/user/providers/${user_id}`)).body).toEqual({ providers: [] });
    expect((await call(sandbox, `DELETE /v2/user/${user_id}/oura`)).status).toBe(404);
  });

  it('limits refreshes to eight an hour and distinguishes a user without connections [connections#refresh]', async () => {
    const sandbox = await sandboxFor();
    const lonely = await newUser(sandbox, 'lonely');
    const none = await call(sandbox, `POST /v2/user/refresh/${lonely}`);
    expect([none.status, none.body.success, none.body.user_id]).toEqual([400, false, lonely]);
    const user_id = await connectedUser(sandbox, { provider: 'oura' });
    const statuses: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      statuses.push((await call(sandbox, `POST /v2/user/refresh/${user_id}?timeout=5`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 200), 429]);
    await sandbox.control.advance(3601);
    expect((await call(sandbox, `POST /v2/user/refresh/${user_id}`)).body.refreshed_sources).toContain('oura/sleep');
    expect((await call(sandbox, `POST /v2/user/refresh/${user_id}?timeout=99`)).status).toBe(422);
  });

  it('makes a demo connection with data [environments#demo-connections]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const made = await call(sandbox, 'POST /v2/link/connect/demo', { user_id, provider: 'fitbit' });
    expect(made.body).toEqual({ success: true, detail: expect.any(String) });
    await sandbox.control.advance(600);
    expect((await sandbox.control.truth(user_id, 'sleep')).rows).toHaveLength(30);
    expect((await call(sandbox, 'POST /v2/link/connect/demo', { user_id, provider: 'garmin' })).status).toBe(422);
  });

  it('lists providers by source type [connections#provider-list]', async () => {
    const sandbox = await sandboxFor();
    const rings = (await call(sandbox, 'GET /v2/providers?source_type=ring')).body;
    expect((rings as { slug: string }[]).map(({ slug }) => slug)).toEqual(['oura', 'ultrahuman']);
  });
});
