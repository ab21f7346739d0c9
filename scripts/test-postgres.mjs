import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres, versions } from './postgres-server.mjs';

/*
 * npm run test:postgres [-- [--ci] [--version MAJOR] [PATH...]]
 * Runs the specs whose outcome can depend on the database on the PostgreSQL of TEST_DATABASE_URL, or on a server of a
 * version that is fetched by npm; with --ci only those that request it in their first line, and with paths only those
 * that they contain.
 */

/** Names of folders, at any depth below `test`. */
const folders = 'storage accounts health labs ingest changes privacy alarms models journeys faults'.split(' ');
/** More specs; and folders and specs among these that do not depend on the database. */
const more = ['doctor.spec.ts'];
const without = ['endpoints', 'canary', 'start.spec.ts'];
const marker = /^\/\/ \.ci\/run runs this on PostgreSQL too/;

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { ci: { type: 'boolean', default: false }, version: { type: 'string' } },
});
const { version } = options;
if (version && !versions[version]) {
  process.stderr.write(`Tested versions of PostgreSQL: ${Object.keys(versions).join(', ')}\n`);
  process.exit(1);
}
if (!version && !process.env.TEST_DATABASE_URL) {
  process.stderr.write(
    'Set TEST_DATABASE_URL to a writable PostgreSQL, e.g. postgres://user@127.0.0.1:5432/test, or use --version 18\n',
  );
  process.exit(1);
}

const specs = readdirSync('test', { recursive: true })
  .filter((path) => path.endsWith('.spec.ts'))
  .map((path) => join('test', path));
const isIn = (path, names) => path.split(sep).some((part) => names.includes(part));
const unknown = [...folders, ...more, ...without].filter((name) => !specs.some((path) => isIn(path, [name])));
if (unknown.length > 0) {
  process.stderr.write(`These tests no longer exist: ${unknown.join(', ')}. Correct scripts/test-postgres.mjs.\n`);
  process.exit(1);
}
const dependsOnDatabase = (path) => isIn(path, more) || (isIn(path, folders) && !isIn(path, without));
const isMarked = (path) => marker.test(readFileSync(path, 'utf8'));
const chosen = specs
  .filter(options.ci ? isMarked : dependsOnDatabase)
  .filter((spec) => paths.length === 0 || paths.some((path) => `${spec}${sep}`.startsWith(join(path, sep))));
if (chosen.length === 0) {
  process.stderr.write(`No test that depends on the database is in ${paths.join(', ')}\n`);
  process.exit(1);
}
const jest = join('node_modules', 'jest', 'bin', 'jest.js');
// Tests mostly wait for the server and its limits; more workers took 125 s instead of 165 on two processors.
const workers = availableParallelism() + 1;
const args = [jest, '--runTestsByPath', ...chosen, '--maxWorkers', `${workers}`];
const server = version ? await startPostgres(version) : null;
const env = { ...process.env, ...(server && { TEST_DATABASE_URL: server.url }) };
if (server) process.stdout.write(`PostgreSQL ${server.version}\n`);
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
await server?.stop();
process.exit(status ?? 1);
