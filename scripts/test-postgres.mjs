import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';

/*
 * npm run test:postgres [-- [--ci] [JEST OPTION...]]
 * Runs the specs whose outcome can depend on the database on the PostgreSQL of TEST_DATABASE_URL; with --ci only those
 * that request it in their first line.
 */

/** Names of folders, at any depth below `test`. */
const folders = 'storage accounts health orders ingest changes privacy alarms models journeys faults'.split(' ');
/** More specs; and folders and specs among these that do not depend on the database. */
const more = ['doctor.spec.ts'];
const without = ['endpoints', 'canary', 'start.spec.ts'];
const marker = /^\/\/ \.ci\/run runs this on PostgreSQL too/;

if (!process.env.TEST_DATABASE_URL) {
  process.stderr.write('Set TEST_DATABASE_URL to a writable PostgreSQL, e.g. postgres://user@127.0.0.1:5432/test\n');
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
const options = process.argv.slice(2);
const marked = options.includes('--ci');
const chosen = specs.filter((path) =>
  marked ? marker.test(readFileSync(path, 'utf8')) : isIn(path, more) || (isIn(path, folders) && !isIn(path, without)),
);
const jest = join('node_modules', 'jest', 'bin', 'jest.js');
const others = options.filter((option) => option !== '--ci');
// Tests mostly wait for the server and its limits; more workers took 125 s instead of 165 on two processors.
const workers = ['--maxWorkers', `${availableParallelism() + 1}`];
const args = [jest, '--runTestsByPath', ...chosen, ...workers, ...others];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exit(status ?? 1);
