import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';

/*
 * npm run test:postgres [-- [--ci] [JEST OPTION...]]
 *
 * Runs on the PostgreSQL of TEST_DATABASE_URL the specs whose outcome can depend on the database; with --ci only those
 * that say so in their first line.
 */

/** Names of folders, wherever they are below `test`. */
const folders = 'storage accounts health orders ingest changes privacy alarms models journeys faults'.split(' ');
/** More specs, and folders and specs of these that PostgreSQL changes nothing of. */
const more = ['doctor.spec.ts'];
const without = ['endpoints', 'canary', 'start.spec.ts'];
const marker = /^\/\/ \.ci\/run runs this on PostgreSQL too/;

if (!process.env.TEST_DATABASE_URL) {
  process.stderr.write(
    'Set TEST_DATABASE_URL to a PostgreSQL that may be written to, e.g. postgres://user@127.0.0.1:5432/test\n',
  );
  process.exit(1);
}

const specs = readdirSync('test', { recursive: true })
  .filter((path) => path.endsWith('.spec.ts'))
  .map((path) => join('test', path));
const isIn = (path, names) => path.split(sep).some((part) => names.includes(part));
const unknown = [...folders, ...more, ...without].filter((name) => !specs.some((path) => isIn(path, [name])));
if (unknown.length > 0) {
  process.stderr.write(`No test is named so any more: ${unknown.join(', ')}. Correct scripts/test-postgres.mjs.\n`);
  process.exit(1);
}
const options = process.argv.slice(2);
const marked = options.includes('--ci');
const chosen = specs.filter((path) =>
  marked ? marker.test(readFileSync(path, 'utf8')) : isIn(path, more) || (isIn(path, folders) && !isIn(path, without)),
);
const jest = join('node_modules', 'jest', 'bin', 'jest.js');
const others = options.filter((option) => option !== '--ci');
// They wait for the server and for its limits much of the time: 125 s in place of 165 on two processors.
const workers = ['--maxWorkers', `${availableParallelism() + 1}`];
const args = [jest, '--runTestsByPath', ...chosen, ...workers, ...others];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exit(status ?? 1);
