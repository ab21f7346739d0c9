import { readFileSync } from 'node:fs';
import { type CallFault, FAULT_KINDS, FAULTS } from '../../sandbox/engine/faults.js';
import type { Sandbox } from '../../sandbox/server.js';
import { call, callAsItIs, closeAll, connectedUser, KEY_HEADERS, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

type OfCalls = { [Kind in CallFault]: (typeof FAULTS)[Kind]['strikes'] extends 'call' ? Kind : never }[CallFault];

const raw = (sandbox: Sandbox, path = '/v2/user', init: RequestInit = {}): Promise<Response> =>
  fetch(`${sandbox.url}${path}`, { headers: KEY_HEADERS, ...init });
const post = (sandbox: Sandbox): Promise<Response> =>
  raw(sandbox, '/v2/user', {
    method: 'POST',
    headers: { ...KEY_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ client_user_id: 'a' }),
  });
const users = async (sandbox: Sandbox): Promise<number> => (await sandbox.control.truthUsers()).users.length;
const statusAndType = ({ status, headers }: Response): unknown[] => [status, headers.get('content-type')];
const EMPTY_LIST = '{"users":[],"total":0,"offset":0,"limit":100}';

/** Strikes a call that makes a user; answers how it ended and how many users there are then. */
async function madeUnder(sandbox: Sandbox, kind: OfCalls, more: object = {}): Promise<[string, number]> {
  await sandbox.control.fault({ kind, path: '/v2/user', method: 'POST', times: 1, ...more });
  const end = await post(sandbox)
    .then(async (response) => `${response.status} ${await response.text()}`)
    .catch(() => 'cut');
  return [end, await users(sandbox)];
}

async function textUnder(sandbox: Sandbox, kind: OfCalls, more: object = {}): Promise<string> {
  await sandbox.control.fault({ kind, path: '^/v2/user/?$', times: 1, ...more });
  const response = await raw(sandbox);
  return `${response.status} ${await response.text()}`;
}

const minutes = (user: string): string => `/v2/timeseries/${user}/mindfulness_minutes/grouped?start_date=2026-11-01`;

/** A case for every fault that strikes a call. */
const proofs: Record<OfCalls, (sandbox: Sandbox) => Promise<void>> = {
  status: async (sandbox) => {
    const page = { status: 502, body: '<h1>Bad gateway</h1>', content_type: 'text/html', retry_after: 7 };
    await sandbox.control.fault({ kind: 'status', path: '/v2/user', ...page });
    const response = await raw(sandbox);
    expect([...statusAndType(response), response.headers.get('retry-after')]).toEqual([502, 'text/html', '7']);
    expect(await response.text()).toBe(page.body);
  },
  throttle: async (sandbox) => {
    await sandbox.control.fault({ kind: 'throttle', path: '/v2/user', times: 1, retry_after: 3 });
    await sandbox.control.fault({ kind: 'throttle', path: '/v2/user', times: 1 });
    const answers = [await raw(sandbox), await raw(sandbox)];
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [429, '3'],
      [429, null],
    ]);
  },
  html_error: async (sandbox) => {
    await sandbox.control.fault({ kind: 'html_error', path: '/v2/user' });
    expect(statusAndType(await raw(sandbox))).toEqual([502, 'text/html']);
  },
  plain_text_500: async (sandbox) =>
    expect(await textUnder(sandbox, 'plain_text_500')).toBe('500 Internal Server Error'),
  wrong_type: async (sandbox) => {
    await sandbox.control.fault({ kind: 'wrong_type', path: '/v2/user' });
    const response = await raw(sandbox);
    expect(statusAndType(response)).toEqual([200, 'text/html']);
    expect(await response.text()).toBe(EMPTY_LIST);
  },
  bad_json: async (sandbox) => expect(await textUnder(sandbox, 'bad_json')).toBe(`200 ${EMPTY_LIST.slice(0, -1)},,`),
  empty: async (sandbox) => expect(await textUnder(sandbox, 'empty')).toBe('200 '),
  truncate: async (sandbox) => expect(await madeUnder(sandbox, 'truncate')).toEqual(['cut', 1]),
  timeout: async (sandbox) => expect(await madeUnder(sandbox, 'timeout', { delay_ms: 20 })).toEqual(['cut', 0]),
  slow: async (sandbox) => expect(await textUnder(sandbox, 'slow', { delay_ms: 1 })).toBe(`200 ${EMPTY_LIST}`),
  slow_after: async (sandbox) => {
    const [end, made] = await madeUnder(sandbox, 'slow_after', { delay_ms: 1 });
    expect([end.slice(0, 3), made]).toEqual(['200', 1]);
  },
  drop_before: async (sandbox) => {
    expect(await madeUnder(sandbox, 'drop_before')).toEqual(['cut', 0]);
    expect((await sandbox.control.calls({ path: '/v2/user' })).calls.map(({ status }) => status)).toEqual([null]);
  },
  drop_after: async (sandbox) => expect(await madeUnder(sandbox, 'drop_after')).toEqual(['cut', 1]),
  fail_after: async (sandbox) => {
    const [end, made] = await madeUnder(sandbox, 'fail_after', { status: 503 });
    expect([end.slice(0, 3), made]).toEqual(['503', 1]);
  },
  drift: async (sandbox) => {
    const id = await newUser(sandbox);
    await sandbox.control.fault({ kind: 'drift', path: '/v2/user' });
    const page = (await callAsItIs(sandbox, 'GET /v2/user')).body;
    expect([page, page.users[0]].map((object) => 'added_lately' in object)).toEqual([true, true]);
    expect(page.users[0].user_id).toBe(id);
  },
  stuck_pull: async (sandbox) => {
    await connectedUser(sandbox, { provider: 'oura' });
    const statuses = async (): Promise<string[]> => {
      const { data } = (await callAsItIs(sandbox, 'GET /v2/introspect/historical_pull')).body;
      const pulled = data[0].provider.oura.pulled as Record<string, { status: string }>;
      return Object.values(pulled).map(({ status }) => status);
    };
    const before = await statuses();
    await sandbox.control.fault({ kind: 'stuck_pull', path: '/v2/introspect' });
    expect(new Set(before)).toEqual(new Set(['success']));
    expect(await statuses()).toEqual(before.map(() => 'in_progress'));
  },
  forget_user: async (sandbox) => {
    const id = await newUser(sandbox);
    await sandbox.control.fault({ kind: 'forget_user', path: '/v2/user/' });
    expect((await call(sandbox, `GET /v2/user/${id}`)).status).toBe(404);
    expect(await users(sandbox)).toBe(0);
  },
  forget_connection: async (sandbox) => {
    const id = await connectedUser(sandbox, { provider: 'oura' });
    await sandbox.control.fault({ kind: 'forget_connection', path: '/v2/user/providers' });
    expect((await call(sandbox, `GET /v2/user/providers/${id}`)).body).toEqual({ providers: [] });
    expect((await sandbox.control.truthUsers()).users).toMatchObject([{ user_id: id, providers: [] }]);
  },
  forget_data: async (sandbox) => {
    const id = await connectedUser(sandbox);
    const truth = async (resource: string): Promise<number> => (await sandbox.control.truth(id, resource)).rows.length;
    const before = [await truth('mindfulness_minutes'), await truth('sleep')] as const;
    const sent = (await sandbox.control.messages()).messages.length;
    await sandbox.control.fault({ kind: 'forget_data', path: '/v2', times: 2 });
    await call(sandbox, `GET ${minutes(id)}`);
    await call(sandbox, `GET /v2/summary/sleep/${id}?start_date=2026-11-01`);
    expect([await truth('mindfulness_minutes'), await truth('sleep')]).toEqual(before.map((count) => count - 1));
    expect((await sandbox.control.messages()).messages).toHaveLength(sent);
  },
};

describe('a fault that strikes a call', () => {
  it.each(Object.entries(proofs).map(([kind, proof]) => [kind, FAULTS[kind as OfCalls].does, proof] as const))(
    '%s: %s',
    async (_kind, _does, proof) => proof(await sandboxFor()),
  );
});

describe('faults of the sandbox', () => {
  it('are those of its README, with their effects', () => {
    const [, section = ''] = readFileSync('sandbox/README.md', 'utf8').split('### Faults');
    const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm)].map(([, kind, ...rest]) => [
      kind,
      ...rest,
    ]);
    expect(rows).toEqual(FAULT_KINDS.map((kind) => [kind, FAULTS[kind].strikes, FAULTS[kind].does]));
  });

  it('strike as often as requested, after the calls that they let through', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.fault({ kind: 'throttle', path: '/v2/user', times: 1, skip: 1 });
    const answers = [await raw(sandbox), await raw(sandbox), await raw(sandbox)];
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 200]);
    expect((await sandbox.control.faults()).faults).toEqual([
      { kind: 'throttle', path: '/v2/user', times: 1, skip: 1, struck: 1 },
    ]);
  });

  it('strike a share of the calls, the same for the same seed, in bursts on request', async () => {
    const struck = async (rule: object): Promise<string> => {
      const sandbox = await sandboxFor();
      await sandbox.control.fault({ kind: 'status', path: '/v2/user', rate: 0.2, ...rule });
      const statuses: number[] = [];
      for (let index = 0; index < 100; index += 1) statuses.push((await raw(sandbox)).status);
      return statuses.map((status) => (status === 503 ? 'x' : '.')).join('');
    };
    const some = await struck({ seed: 'a' });
    expect(some.split('x').length - 1).toBeGreaterThan(5);
    expect(some.split('x').length - 1).toBeLessThan(40);
    expect(await struck({ seed: 'a' })).toBe(some);
    expect(await struck({ seed: 'b' })).not.toBe(some);
    const bursts = (await struck({ seed: 'a', rate: 0.05, burst: 4 })).split('.').filter((run) => run !== '');
    expect(bursts.slice(0, -1).every(({ length }) => length >= 4)).toBe(true);
  });

  it('end by kind or altogether', async () => {
    const sandbox = await sandboxFor();
    for (const kind of ['throttle', 'empty', 'throttle'] as const) await sandbox.control.fault({ kind, path: '/v2' });
    await sandbox.control.clearFaults('throttle');
    expect((await sandbox.control.faults()).faults.map(({ kind }) => kind)).toEqual(['empty']);
    await sandbox.control.clearFaults();
    expect((await sandbox.control.faults()).faults).toEqual([]);
  });

  it('are refused if they could strike nothing', async () => {
    const sandbox = await sandboxFor();
    await expect(sandbox.control.fault({ kind: 'empty' })).rejects.toThrow('empty needs a path');
    await expect(sandbox.control.fault({ kind: 'lose', path: '/v2' })).rejects.toThrow('lose strikes no path');
    await expect(sandbox.control.send({ kind: 'x' } as object)).rejects.toThrow('400');
  });

  it('leave calls counted by template without values', async () => {
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
});
