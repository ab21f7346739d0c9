import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/*
 * npm run mutants [-- [--only AREA] [--file PART] [--skip-baseline]]
 * Applies the mistakes of test/mutants.json one by one in a copy of this checkout, and runs the tests of their area:
 * the folders named there, then journeys and faults. Prints a line for each with the test that failed, if any. AREA is
 * an area of the file, PART a part of a file's path. First runs each area's tests without a mistake, because a test
 * that always fails would seem to catch everything. Exits with 1 if a mistake is not caught.
 */

const root = resolve(import.meta.dirname, '..');
const { areas, everywhere, mutants } = JSON.parse(readFileSync(join(root, 'test/mutants.json'), 'utf8'));
/** Paths that the copy omits; packages are linked. */
const left = new Set(['.git', '.test-build', 'coverage', 'data', 'dist', 'node_modules', '.env']);
const longestMs = 20 * 60_000;
const sequencer = './test/support/jest/nearest-first.cjs';

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, file: { type: 'string' }, 'skip-baseline': { type: 'boolean' } },
});

/** The content of the file with the mistake. Ends the run if the text is not found exactly once. */
function mutated({ file, text, becomes }) {
  const path = join(root, file);
  const parts = existsSync(path) ? readFileSync(path, 'utf8').split(text) : [];
  if (parts.length === 2) return parts.join(becomes);
  process.stderr.write(`${file} holds the text of a mutant ${Math.max(0, parts.length - 1)} times:\n${text}\n`);
  process.exit(2);
}

let running = null;

/**
 * Runs the tests of these folders, those nearest to `changed` first, until a file fails. Returns the first failed test,
 * or null.
 */
async function failureIn(copy, folders, changed = '') {
  const log = join(copy, 'output.log');
  const output = openSync(log, 'w');
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '-w', '1', '--bail', '--testSequencer', sequencer];
  const env = { ...process.env, PULSEKEEP_MUTANT: changed };
  const how = { cwd: copy, env, stdio: ['ignore', output, output], timeout: longestMs };
  // The slash prevents a folder from matching others with the same prefix.
  const paths = folders.map((each) => (each.endsWith('.spec.ts') ? each : `${each}/`));
  running = spawn(process.execPath, [...jest, ...paths], how);
  closeSync(output);
  const [code, signal] = await once(running, 'exit');
  if (code === 0) return null;
  if (signal !== null) return 'the tests did not end';
  const said = readFileSync(log, 'utf8');
  const file = /^FAIL (\S+)/m.exec(said)?.[1];
  const test = /^ *● (.+)$/m.exec(said)?.[1];
  if (file) return `${file}: ${test}`;
  // Jest itself failed, for example because it found no test; no mistake was caught.
  process.stderr.write(said);
  process.exit(2);
}

const chosen = mutants.filter(({ area, file }) => area === (options.only ?? area) && file.includes(options.file ?? ''));
if (chosen.length === 0) {
  process.stderr.write(`No mutant is chosen. Areas: ${Object.keys(areas).join(', ')}.\n`);
  process.exit(2);
}
const texts = chosen.map(mutated);
const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    running?.kill();
    process.exit(130);
  });
}
cpSync(root, copy, { recursive: true, filter: (path) => !left.has(relative(root, path)) });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

if (!options['skip-baseline']) {
  const folders = new Set(chosen.flatMap(({ area }) => areas[area]));
  const failure = await failureIn(copy, [...folders, ...everywhere]);
  if (failure !== null) {
    process.stderr.write(`The tests fail without a mutant: ${failure}\n`);
    process.exit(2);
  }
}
let caught = 0;
for (const [index, { area, file, breaks }] of chosen.entries()) {
  writeFileSync(join(copy, file), texts[index]);
  const failure = (await failureIn(copy, areas[area], file)) ?? (await failureIn(copy, everywhere, file));
  writeFileSync(join(copy, file), readFileSync(join(root, file)));
  if (failure !== null) caught += 1;
  const outcome = failure === null ? 'SURVIVED' : 'caught  ';
  process.stdout.write(`${outcome} ${area.padEnd(8)} ${file}: ${breaks}${failure ? `\n         by ${failure}` : ''}\n`);
}
process.stdout.write(`${caught} of ${chosen.length} caught\n`);
process.exit(caught === chosen.length ? 0 : 1);
