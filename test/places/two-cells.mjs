/*
 * Two cells (docs/cells.md) on one machine: two complete services with a database each, one upstream, and a router of
 * the rules of that page.
 *
 *   npm run build && node test/places/two-cells.mjs
 *
 * Ends with 0 if every account, with its records and its changes, is in exactly one cell; if a cell that is killed
 * costs the others nothing and has every delivery of that time afterwards; if lists of operators merge in order; and
 * if an account that moves has the same records in its new cell.
 */
import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';
import { join } from 'node:path';
import { folder, freePort, place, start, startService, until } from './support.mjs';

const people = Array.from({ length: 12 }, (_, index) => `person-${String(index + 1).padStart(2, '0')}`);
const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const moving = 'moving';

const slotOf = (account) => createHash('sha256').update(account).digest()[0];

/** The account that a request is about; null if it names none. The cell checks signature and token, not the router. */
function accountOf(path, headers, body) {
  try {
    if (path === '/webhooks') return JSON.parse(body).client_user_id ?? null;
    const [, claims] = headers.authorization.split(' ')[1].split('.');
    return JSON.parse(Buffer.from(claims, 'base64url')).sub;
  } catch {
    return null;
  }
}

/** One request to a cell; `null` if it does not answer. */
function send(cell, method, path, headers, body) {
  const { host, 'content-length': _, connection, ...kept } = headers;
  return new Promise((resolve) => {
    const request = http.request(cell + path, { method, headers: kept, timeout: 10_000 }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => resolve(null));
      response.on('end', () => resolve({ response, body: Buffer.concat(chunks) }));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
    request.end(body);
  });
}

/** `cells`: addresses; `slots`: of each slot the index of its cell, or `moving`. */
function startRouter(port, cells, slots) {
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const path = request.url.split('?')[0];
    const account = accountOf(path, request.headers, body);
    const slot = account === null ? null : slots[slotOf(account)];
    // Without an account, an event is for every cell: each keeps what is of its accounts.
    const targets = slot === null ? cells : slot === moving ? [] : [cells[slot]];
    const answers = await Promise.all(
      targets.map((cell) => send(cell, request.method, request.url, request.headers, body)),
    );
    // Only what every cell has stored is acknowledged; upstream sends the rest again.
    const failed = answers.find((answer) => answer === null || answer.response.statusCode >= 300);
    const answer = failed === undefined ? answers[0] : failed;
    if (!answer) return response.writeHead(503, { 'retry-after': '1' }).end();
    const { connection, 'transfer-encoding': _, ...headers } = answer.response.headers;
    response.writeHead(answer.response.statusCode, headers);
    response.end(answer.body);
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

function tokenOf(account) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1_000);
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: account, iat: now, exp: now + 3_600 })}`;
  const key = 'a-secret-for-this-script-of-32-bytes';
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

async function json(url, options = {}) {
  const response = await fetch(url, {
    ...options,
    headers: { ...(options.body && { 'content-type': 'application/json' }), ...options.headers },
  });
  return { status: response.status, body: await response.json().catch(() => null) };
}

/** A page of a keyset list of all cells, in the order of `key`, with one cursor a cell. */
async function merged(cells, path, key, limit, cursors = cells.map(() => undefined)) {
  const pages = await Promise.all(
    cells.map(async ({ call }, index) => {
      if (cursors[index] === null) return { data: [], next_cursor: null };
      const more = cursors[index] === undefined ? '' : `&cursor=${cursors[index]}`;
      return (await call('GET', `${path}?limit=${limit}${more}`)).body;
    }),
  );
  const rows = pages.flatMap(({ data }, cell) => data.map((row) => ({ row, cell })));
  return { rows: rows.sort((a, b) => (a.row[key] < b.row[key] ? -1 : 1)), next: pages.map((page) => page.next_cursor) };
}

await place(async () => {
  const [sandboxPort, routerPort] = [await freePort(), await freePort()];
  const upstream = `http://127.0.0.1:${sandboxPort}`;
  const router = `http://127.0.0.1:${routerPort}`;
  start(process.execPath, ['dist/sandbox/main.js'], {
    env: {
      PATH: process.env.PATH,
      SANDBOX_PORT: String(sandboxPort),
      SANDBOX_API_KEY: 'sk_us_places',
      SANDBOX_WEBHOOK_URL: `${router}/webhooks`,
      SANDBOX_WEBHOOK_SECRET: webhookSecret,
      SANDBOX_TIME_SCALE: '20',
    },
  });
  await until('upstream answers', async () => (await fetch(`${upstream}/control/time`)).ok);
  const control = async (path, body) => {
    const answer = await json(`${upstream}/control/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (answer.status >= 300) throw new Error(`Upstream refused ${path}: ${answer.body?.error}`);
    return answer.body;
  };
  const startCell = (name) =>
    startService(`sqlite:${join(folder(), `${name}.sqlite`)}`, {
      UPSTREAM_BASE_URL: upstream,
      // Each cell has its share of the calls of the team.
      UPSTREAM_REQUESTS_PER_SECOND: '50',
      ERASURE_JOURNAL_PATH: join(folder(), `${name}-erasures`),
    });
  const cells = [await startCell('a'), await startCell('b')];
  const addresses = cells.map(({ url }) => url);
  const slots = Array.from({ length: 256 }, (_, slot) => (slot < 128 ? 0 : 1));
  await startRouter(routerPort, addresses, slots);
  const homeOf = (account) => slots[slotOf(account)];
  const asPerson = (account, path, options = {}) =>
    json(`${router}/v1/me/${path}`, { ...options, headers: { authorization: `Bearer ${tokenOf(account)}` } });

  for (const person of people) {
    const { status } = await asPerson(person, 'sign-in-token', { method: 'POST', body: '{}' });
    if (status !== 201) throw new Error(`The sign-in of a person got ${status}.`);
  }
  const { users } = await json(`${upstream}/control/truth/users`).then(({ body }) => body);
  const userOf = new Map(users.map((user) => [user.client_user_id, user.user_id]));
  const connect = (person) =>
    control('connections', {
      user_id: userOf.get(person),
      provider: 'oura',
      resources: ['sleep'],
      history: { days: 20, per_day: 20 },
    });
  for (const person of people) await connect(person);

  const nightsOf = async (person) => (await asPerson(person, 'records/sleep?limit=200')).body.data.map(({ id }) => id);
  const truthOf = async (person) => {
    const answer = await json(`${upstream}/control/truth?user_id=${userOf.get(person)}&resource=sleep`);
    return answer.body.rows.length;
  };
  const whole = async (person) => {
    const expected = await truthOf(person);
    return expected > 0 && (await nightsOf(person)).length === expected;
  };
  const allWhole = async () => (await Promise.all(people.map(whole))).every(Boolean);
  await until('the records of all are here', allWhole, 120);

  const accountsOf = async ({ call }) =>
    (await call('GET', '/admin/v1/accounts?limit=200')).body.data.map(({ account_id }) => account_id);
  const held = await Promise.all(cells.map(accountsOf));
  const isApart = people.every((person) =>
    held.every((list, cell) => list.includes(person) === (cell === homeOf(person))),
  );
  if (!isApart || held.some((list) => list.length === 0)) throw new Error('An account is not in exactly its cell.');

  // The feed of a cell is about its accounts alone.
  for (const [index, { call }] of cells.entries()) {
    const { body } = await call('GET', '/v1/changes?limit=500');
    const strangers = body.data.filter(({ account_id }) => account_id && homeOf(account_id) !== index);
    if (body.data.length === 0 || strangers.length > 0) throw new Error('A feed has changes of another cell.');
  }

  // One cell dies; what is delivered meanwhile is not acknowledged for its accounts.
  const [dead, living] = [people.filter((p) => homeOf(p) === 0), people.filter((p) => homeOf(p) === 1)];
  const ended = new Promise((resolve) => cells[0].child.once('exit', resolve));
  cells[0].child.kill('SIGKILL');
  await ended;
  const ago = (hours) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const nap = { calendar_date: ago(3).slice(0, 10), bedtime_start: ago(3), bedtime_stop: ago(2) };
  for (const person of people) {
    await control('data', {
      user_id: userOf.get(person),
      provider: 'oura',
      resource: 'sleep',
      summaries: [nap],
    });
  }
  const refused = await asPerson(dead[0], 'records/sleep');
  if (refused.status !== 503) throw new Error(`A person of the dead cell got ${refused.status}.`);
  await until('the living cell has its deliveries', async () => (await Promise.all(living.map(whole))).every(Boolean));
  addresses[0] = (cells[0] = await startCell('a')).url;
  await until('the dead cell has what was delivered meanwhile', allWhole, 180);

  // Operators' lists are pages of all cells, merged by the key of their order.
  const listed = [];
  for (let cursors; ; ) {
    const { rows, next } = await merged(cells, '/admin/v1/accounts', 'account_id', 200, cursors);
    listed.push(...rows.map(({ row }) => row.account_id));
    if (next.every((cursor) => cursor === null)) break;
    cursors = next;
  }
  if (listed.join() !== [...people].sort().join()) throw new Error('The merged list of accounts is not that of all.');

  // An account moves: its slot takes no requests, its new cell makes it and pulls it, then the slot changes.
  const [mover] = dead;
  const before = (await nightsOf(mover)).sort().join();
  slots[slotOf(mover)] = moving;
  await cells[0].call('POST', `/admin/v1/accounts/${mover}/block`);
  const made = await cells[1].call('POST', '/admin/v1/accounts', { account_id: mover });
  if (made.status !== 201 && made.status !== 200) throw new Error(`The new cell answered ${made.status}.`);
  const movedNights = async () => {
    const { body } = await cells[1].call('GET', `/admin/v1/accounts/${mover}/records/sleep?limit=200`);
    return body.data
      .map(({ id }) => id)
      .sort()
      .join();
  };
  await until('the new cell has the records', async () => (await movedNights()) === before, 120);
  slots[slotOf(mover)] = 1;
  if ((await nightsOf(mover)).sort().join() !== before) throw new Error('The moved person has other records.');
  return { people: people.length, cells: held.map(({ length }) => length), records: before.split(',').length };
});
