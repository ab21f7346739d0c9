import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import type { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { apiKey, type ClientUnderTest, clientFor, errorOf } from './support/client.js';

const o = { priority: 'bulk' } as const;
const unknownId = '00000000-0000-4000-8000-00000000dead';

let sandbox: Sandbox;
let underTest: ClientUnderTest;
let client: UpstreamClient;

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 'upstream-client', timeScale: 0, apiKey });
  underTest = clientFor(sandbox.url);
  client = underTest.client;
});
afterEach(async () => {
  underTest.transport.onApplicationShutdown();
  await sandbox.close();
});

async function newUser(clientUserId = 'cust-1'): Promise<string> {
  const creation = await client.createUser({ client_user_id: clientUserId }, o);
  return creation.outcome === 'created' ? creation.user.user_id : creation.user_id;
}

async function connectedUser(): Promise<string> {
  const user_id = await newUser();
  await sandbox.control.connect({ user_id, provider: 'oura', history: { days: 30, per_day: 10 } });
  await sandbox.control.advance(600);
  return user_id;
}

const refused = (status: number, shape?: string) => ({
  kind: 'rejected',
  status,
  ...(shape !== undefined && { detail: { shape } }),
});

describe('users', () => {
  it('are created, and adopted when they exist [users#create]', async () => {
    const input = {
      client_user_id: 'cust-1',
      fallback_time_zone: 'Europe/Vienna',
      fallback_birth_date: '1980-01-02',
      ingestion_start: '2026-01-01',
    };
    const creation = await client.createUser(input, o);
    if (creation.outcome !== 'created') throw new Error('not created');
    expect(creation.user).toMatchObject({
      client_user_id: 'cust-1',
      fallback_time_zone: { id: 'Europe/Vienna' },
      fallback_birth_date: { value: '1980-01-02' },
      ingestion_start: '2026-01-01',
      ingestion_end: null,
    });
    expect(await client.createUser(input, o)).toEqual({ outcome: 'exists', user_id: creation.user.user_id });
  });

  it('are not created beyond the limit or with a malformed field', async () => {
    await sandbox.control.configure({ user_limit: 1 });
    await newUser();
    const limit = await errorOf(client.createUser({ client_user_id: 'cust-2' }, o));
    expect(limit).toMatchObject({ kind: 'rejected', status: 400, detail: { shape: 'typed' } });
    const malformed = await errorOf(client.createUser({ client_user_id: 'c', ingestion_start: 'soon' }, o));
    expect(malformed).toMatchObject({ ...refused(422, 'validation'), detail: { locs: ['body.ingestion_start'] } });
  });

  it('survive an answer lost after the create took effect [users#conflict]', async () => {
    await sandbox.control.fault({ kind: 'drop_after', path: '/v2/user', method: 'POST', times: 1 });
    const creation = await client.createUser({ client_user_id: 'cust-1' }, o);
    expect(creation.outcome).toBe('exists');
  });

  it('are found by either id, and are null when unknown or deleted [users#look-up]', async () => {
    const userId = await newUser('needs escaping / ?');
    expect(await client.findUser(userId, o)).toMatchObject({ user_id: userId });
    expect(await client.resolveUser('needs escaping / ?', o)).toMatchObject({ user_id: userId });
    expect(await client.findUser(unknownId, o)).toBeNull();
    expect(await client.resolveUser('nobody', o)).toBeNull();
    expect(await errorOf(client.findUser('no-uuid', o))).toMatchObject({ kind: 'rejected', status: 422 });
    expect(await client.deleteUser(userId, o)).toBe(true);
    expect(await client.findUser(userId, o)).toBeNull();
    expect(await client.deleteUser(userId, o)).toBe(true);
    expect(await errorOf(client.deleteUser('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });

  it('are listed in pages; a page out of range is a plain 500 [errors-and-limits#sizes]', async () => {
    for (const id of ['a', 'b', 'c']) await newUser(id);
    const { users, ...counts } = await client.listUsers({ offset: 1, limit: 2 }, o);
    expect(users.map(({ client_user_id }) => client_user_id)).toEqual(['b', 'c']);
    expect(counts).toEqual({ total: 3, listed: 2 });
    const error = await errorOf(client.listUsers({ offset: 0, limit: 501 }, o));
    expect(error).toMatchObject({ kind: 'unavailable', status: 500, detail: { shape: 'plain_text' } });
  });

  it.each(['with', 'without'] as const)(
    'are created and listed where only the path %s a slash at its end is served [users#create]',
    async (user_slash) => {
      await sandbox.control.configure({ user_slash });
      const userId = await newUser('cust-1');
      const { users } = await client.listUsers({ offset: 0, limit: 10 }, o);
      expect(users.map(({ user_id }) => user_id)).toEqual([userId]);
    },
  );

  it('are patched; an empty patch and a taken id are refused [users#change]', async () => {
    await newUser('taken');
    const userId = await newUser('cust-1');
    await client.patchUser(userId, { ingestion_end: '2026-12-31' }, o);
    expect(await client.findUser(userId, o)).toMatchObject({ ingestion_end: '2026-12-31' });
    expect(await errorOf(client.patchUser(userId, {}, o))).toMatchObject(refused(400));
    expect(await errorOf(client.patchUser(userId, { client_user_id: 'taken' }, o))).toMatchObject(refused(409, 'text'));
    expect(await errorOf(client.patchUser(unknownId, { ingestion_end: null }, o))).toMatchObject(refused(404));
  });

  it('cannot be read with a wrong key', async () => {
    const other = await startSandbox({ timeScale: 0, apiKey: 'sk_us_another' });
    try {
      const stranger = clientFor(other.url);
      expect(await errorOf(stranger.client.findUser(unknownId, o))).toMatchObject({ kind: 'rejected', status: 401 });
      stranger.transport.onApplicationShutdown();
    } finally {
      await other.close();
    }
  });
});

describe('connections', () => {
  it('are listed, with their error, and deregistered [connections#deregister]', async () => {
    const user_id = await connectedUser();
    expect((await client.connections(user_id, o)).listed).toMatchObject([
      { slug: 'oura', status: 'connected', error_details: null },
    ]);
    await sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    expect((await client.connections(user_id, o)).listed).toMatchObject([
      { status: 'error', error_details: { error_type: 'token_refresh_failed' } },
    ]);
    expect(await client.deregisterProvider(user_id, 'oura', o)).toBe(true);
    expect((await client.connections(user_id, o)).listed).toEqual([]);
    expect(await client.deregisterProvider(user_id, 'oura', o)).toBe(true);
  });

  it('are refused for an unknown user and an unknown provider', async () => {
    const userId = await newUser();
    expect(await errorOf(client.connections(unknownId, o))).toMatchObject(refused(404, 'text'));
    expect(await errorOf(client.deregisterProvider(userId, 'no_such_provider', o))).toMatchObject(refused(422));
  });
});

describe('tokens', () => {
  it('are minted for a user who exists', async () => {
    const user_id = await newUser();
    const signIn = await client.createSignInToken(user_id, o);
    expect(signIn).toMatchObject({ user_id });
    expect(signIn.sign_in_token).not.toBe('');
    const input = {
      user_id,
      provider: 'oura',
      filter_on_providers: ['oura'],
      redirect_url: 'https://app.example/done?attempt=1',
      on_error: 'redirect',
      on_close: 'redirect',
    } as const;
    const link = await client.createLinkToken({ ...input, filter_on_providers: [...input.filter_on_providers] }, o);
    expect(new URL(link.link_web_url).searchParams.get('token')).toBe(link.link_token);
  });

  it('are refused for an unknown user and a bad address', async () => {
    const user_id = await newUser();
    expect(await errorOf(client.createSignInToken(unknownId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.createSignInToken('no-uuid', o))).toMatchObject({ kind: 'rejected' });
    expect(await errorOf(client.createLinkToken({ user_id: unknownId }, o))).toMatchObject(refused(404));
    const badAddress = client.createLinkToken({ user_id, redirect_url: 'nowhere' }, o);
    expect(await errorOf(badAddress)).toMatchObject({ detail: { shape: 'validation', locs: ['body.redirect_url'] } });
  });
});

describe('faults on the line', () => {
  it.each([
    ['status', { status: 503 }],
    ['drop_before', {}],
    ['truncate', {}],
    ['plain_text_500', {}],
  ] as const)('%s is survived once by a repeat', async (kind, more) => {
    const userId = await newUser();
    await sandbox.control.fault({ kind, path: '/v2/user', method: 'GET', times: 1, ...more });
    expect(await client.findUser(userId, o)).toMatchObject({ user_id: userId });
    expect(underTest.pauses).toHaveLength(1);
  });

  it.each(['bad_json', 'empty'] as const)('%s is a breach of contract', async (kind) => {
    const userId = await newUser();
    await sandbox.control.fault({ kind, path: '/v2/user', method: 'GET' });
    expect(await errorOf(client.findUser(userId, o))).toMatchObject({ kind: 'contract' });
  });

  it('a wish to wait is handed back to bulk work', async () => {
    await sandbox.control.fault({ kind: 'status', path: '/v2/user', status: 429, retry_after: 7 });
    const error = await errorOf(client.resolveUser('cust-1', o));
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 7_000 });
  });
});
