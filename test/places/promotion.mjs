/*
 * A standby that lags is promoted under a running service. Needs a build, root, and PostgreSQL's own programs (PGBIN,
 * default Debian's 15); two servers of its own on free ports end with the script. CI has no second server.
 *
 *   npm run build && node test/places/promotion.mjs
 *
 * Ends with 0 if the change feed restarts under another id before a number is given twice, the alarm is raised, and a
 * person who was erased after the state of the standby is deleted again by the erasure journal.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const bin = process.env.PGBIN ?? '/usr/lib/postgresql/15/bin';
const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];
const folder = mkdtempSync(join(tmpdir(), 'promotion-'));
chownSync(folder, ...['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres']))));
const children = [];

const run = (program, ...args) =>
  execFileSync('setpriv', [...asPostgres, join(bin, program), ...args], { stdio: 'pipe' });
const psql = (port, sql, database = 'p') =>
  execFileSync('psql', ['-XqAt', '-d', `postgres://postgres@127.0.0.1:${port}/${database}`, '-c', sql], {
    stdio: 'pipe',
  })
    .toString()
    .trim();

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function until(what, holds, seconds = 60) {
  const end = Date.now() + seconds * 1_000;
  for (;;) {
    if (
      await Promise.resolve()
        .then(holds)
        .catch(() => false)
    )
      return;
    if (Date.now() > end) throw new Error(`Not within ${seconds} s: ${what}.`);
    await pause(200);
  }
}

async function serve(name, port) {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    hot_standby: 'on',
  };
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const child = spawn('setpriv', [...asPostgres, join(bin, 'postgres'), '-D', join(folder, name), ...args], {
    stdio: 'ignore',
  });
  children.push(child);
  await until(`${name} starts`, () => psql(port, 'SELECT 1', 'postgres') === '1');
  return child;
}

/** The address of the database: connections go to whichever server is current, as through a virtual address. */
function startSwitch(target) {
  const sockets = new Set();
  const state = { target };
  const server = net.createServer((client) => {
    const upstream = net.connect(state.target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => (sockets.delete(socket), other.destroy()));
    }
    client.pipe(upstream).pipe(client);
  });
  state.turnTo = (port) => {
    state.target = port;
    for (const socket of sockets) socket.destroy();
  };
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve({ turnTo: state.turnTo, port: server.address().port })),
  );
}

async function startService(port) {
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    DRAIN_SECONDS: '0',
    DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/p`,
    ERASURE_JOURNAL_PATH: join(folder, 'erasures'),
    UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
    UPSTREAM_API_KEY: 'sk_us_promotion',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    APP_JWT_SECRET: 'a-secret-for-this-script-of-32-bytes',
    ADMIN_API_KEYS: `desk:operator:${createHash('sha256').update('key').digest('hex')}`,
  };
  const child = spawn(process.execPath, ['dist/src/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  await until('the service listens', () => /"event":"listening"/.test(output));
  return /"url":"([^"]+)"/.exec(output.split('\n').find((line) => line.includes('"event":"listening"')))[1];
}

async function main() {
  const [first, second] = [await freePort(), await freePort()];
  run('initdb', '-D', join(folder, 'first'), '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8');
  const primary = await serve('first', first);
  psql(first, 'CREATE DATABASE p', 'postgres');
  run(
    'pg_basebackup',
    '-h',
    '127.0.0.1',
    '-p',
    String(first),
    '-U',
    'postgres',
    '-D',
    join(folder, 'second'),
    '-R',
    '--checkpoint=fast',
    '-X',
    'stream',
  );
  await serve('second', second);
  const address = await startSwitch(first);
  const url = await startService(address.port);
  const call = async (method, path, body) => {
    const headers = { authorization: 'Bearer key', ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json().catch(() => null) };
  };
  // Upstream is away, so accounts are made by hand, and an erasure ends here: what is stored is deleted, upstream is
  // not told.
  const person = (name) =>
    psql(
      first,
      `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('${name}', 'pending', 0, 0)`,
    );
  const act = (name, times) =>
    Array.from({ length: times }).reduce(
      (before, _, index) =>
        before.then(() => call('POST', `/admin/v1/accounts/${name}/${index % 2 ? 'unblock' : 'block'}`)),
      Promise.resolve(),
    );
  for (const name of ['anna', 'ben']) person(name);
  await act('anna', 10);
  const number = (port) => Number(psql(port, 'SELECT last_number FROM change_feed'));
  await until('the standby has caught up', () => number(first) >= 10 && number(second) === number(first));
  psql(second, `ALTER SYSTEM SET primary_conninfo = ''`, 'postgres');
  psql(second, 'SELECT pg_reload_conf()', 'postgres');
  await until('the standby hears no more', () => psql(second, 'SELECT COUNT(*) FROM pg_stat_wal_receiver') === '0');
  const behind = number(second);
  await act('anna', 20);
  const erased = await call('DELETE', '/admin/v1/accounts/ben');
  await until(
    'the erasure has deleted',
    () => psql(first, `SELECT COUNT(*) FROM accounts WHERE account_id = 'ben' AND status <> 'erasing'`) === '0',
  );
  await until(
    'the journal has the erasure',
    () => psql(first, 'SELECT COUNT(*) FROM erasures WHERE journaled_at IS NOT NULL') === '1',
  );
  await until('the feed has the changes', () => number(first) >= behind + 20);
  const page = (await call('GET', '/v1/changes?limit=500')).body;
  const cursor = page.next;
  primary.kill('SIGKILL');
  const lost = { replayed: behind, acknowledged: page.data.length };
  psql(second, 'SELECT pg_promote(false)', 'postgres');
  await until('the standby is promoted', () => psql(second, 'SELECT pg_is_in_recovery()', 'postgres') === 'f');
  const after = number(second);
  address.turnTo(second);
  await until('the service is ready again', async () => (await fetch(`${url}/readyz`)).status === 200);
  await act('anna', 40);
  await until('the feed continues', () => number(second) >= after + 30);
  const answer = await call('GET', `/v1/changes?after=${encodeURIComponent(cursor)}`);
  await until(
    'ben is deleted again',
    () => psql(second, `SELECT COUNT(*) FROM accounts WHERE account_id = 'ben' AND status <> 'erasing'`) === '0',
  );
  await until('the alarm', async () =>
    (await call('GET', '/admin/v1/alarms')).body.data.some(({ code }) => code === 'database_promoted'),
  );
  const figures = {
    ...lost,
    afterPromotion: after,
    erased: erased.status,
    oldCursor: [answer.status, answer.body.code],
  };
  console.log(JSON.stringify(figures));
  if (answer.status !== 410 || answer.body.code !== 'feed_restarted') throw new Error('The old cursor was accepted.');
}

try {
  await main();
  process.exitCode = 0;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  await pause(500);
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}
