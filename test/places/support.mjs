/*
 * What the scripts of this folder share: a PostgreSQL server of their own, a service against it, signed webhooks.
 * Upstream is an address that does not answer, so nothing leaves the machine. They need a build; those with a server
 * also root and PostgreSQL's own programs (PGBIN, default Debian's 15).
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const bin = process.env.PGBIN ?? '/usr/lib/postgresql/15/bin';
const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];
const secret = Buffer.alloc(24, 7);
const children = [];
let ownFolder;

/** A folder that ends with the script. */
export function folder() {
  ownFolder ??= mkdtempSync(join(tmpdir(), 'places-'));
  return ownFolder;
}

/** Runs one of PostgreSQL's programs as its user. */
export function asServer(program, ...args) {
  execFileSync('setpriv', [...asPostgres, join(bin, program), ...args], { stdio: 'pipe' });
}

export function addressOf(port, database = 'p', user = 'postgres') {
  return `postgres://${user}@127.0.0.1:${port}/${database}`;
}

export function psql(port, sql, database = 'p') {
  return execFileSync('psql', ['-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', addressOf(port, database), '-c', sql], {
    stdio: 'pipe',
  })
    .toString()
    .trim();
}

export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export async function until(what, holds, seconds = 60) {
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

/** A program that ends with the script. */
export function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  children.push(child);
  return child;
}

/** A new cluster in `name`; `serve` starts it. */
export function initialise(name) {
  chownSync(folder(), ...['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres']))));
  asServer('initdb', '-D', join(folder(), name), '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8');
}

export async function serve(name, port, settings = {}) {
  const all = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings };
  const args = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const child = start('setpriv', [...asPostgres, join(bin, 'postgres'), '-D', join(folder(), name), ...args]);
  await until(`${name} starts`, () => psql(port, 'SELECT 1', 'postgres') === '1');
  return child;
}

/**
 * A service on `database`. `call` sends a request with the key of an operator and returns status and body, `deliver` a
 * signed webhook and returns its status.
 */
export async function startService(database, more = {}) {
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    DRAIN_SECONDS: '0',
    DATABASE_URL: database,
    ERASURE_JOURNAL_PATH: join(folder(), 'erasures'),
    UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
    UPSTREAM_API_KEY: 'sk_us_places',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    WEBHOOK_SECRETS: `whsec_${secret.toString('base64')}`,
    APP_JWT_SECRET: 'a-secret-for-this-script-of-32-bytes',
    ADMIN_API_KEYS: `desk:operator:${createHash('sha256').update('key').digest('hex')}`,
    ...more,
  };
  const child = start(process.execPath, ['dist/src/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const ended = new Promise((_, reject) => {
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}.`)));
  });
  ended.catch(() => undefined);
  await Promise.race([until('the service listens', () => /"event":"listening"/.test(output)), ended]);
  const [, url] = /"url":"([^"]+)"/.exec(output.split('\n').find((line) => line.includes('"event":"listening"')));
  const call = async (method, path, body) => {
    const headers = { authorization: 'Bearer key', ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json().catch(() => null) };
  };
  const deliver = async (id = randomUUID()) => {
    const body = JSON.stringify({ event_type: 'places.tried', user_id: randomUUID(), data: {} });
    const time = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': time,
      'svix-signature': `v1,${signature}`,
    };
    const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  return { child, url, call, deliver };
}

/** An account that is stored without upstream. */
export function addAccount(port, name, database = 'p') {
  const columns = 'account_id, status, created_at, updated_at';
  psql(port, `INSERT INTO accounts (${columns}) VALUES ('${name}', 'pending', 0, 0)`, database);
}

/** Runs a script: prints the figures that it returns, ends with 1 if it throws, and leaves nothing running. */
export async function place(script) {
  let code = 0;
  try {
    console.log(JSON.stringify(await script()));
  } catch (error) {
    console.error(error.message);
    code = 1;
  }
  for (const child of children) child.kill('SIGKILL');
  await pause(500);
  if (ownFolder !== undefined) rmSync(ownFolder, { recursive: true, force: true });
  process.exit(code);
}
