import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/*
 * npm run test:node [-- [LINE...] [--demo-only] [--here] [PATH...]]
 * Runs `npm ci`, the demo and the tests on each Node line, in a fresh copy of this checkout. Node comes from its npm
 * packages. LINE is 20, 22, 24 or 26, and PATH a test file or folder; the default is all. With --here, runs only the
 * tests, in this checkout with its packages, which contain the drivers for all lines. Exits with 1 if anything failed,
 * and then keeps the copy with the output of every step.
 */

/** The newest tested version of each line, and an npm version commonly used with it. */
const lines = {
  20: { node: '20.20.2', npm: '10.8.2' },
  22: { node: '22.23.3', npm: '10.9.4' },
  24: { node: '24.21.0', npm: '11.6.2' },
  26: { node: '26.10.0', npm: '12.2.0' },
};

const root = resolve(import.meta.dirname, '..');
/** Paths that a fresh checkout does not contain. */
const ownFolders = new Set(['.git', '.test-build', 'coverage', 'data', 'dist', 'node_modules', '.env']);
/** npm variables that are passed on from `npm run` to another npm: only the registry settings. */
const kept = new Set(['npm_config_registry', 'npm_config_cache', 'npm_config_userconfig', 'npm_config_globalconfig']);

const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const nodePackage = `node-${platform}`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'demo-only': { type: 'boolean', default: false }, here: { type: 'boolean', default: false } },
});
const asked = positionals.filter((word) => /^\d+$/.test(word));
const testPaths = positionals.filter((word) => !/^\d+$/.test(word));

function environment(runtime) {
  const own = Object.entries(process.env).filter(
    ([name]) => (!name.startsWith('npm_') || kept.has(name)) && name !== 'NODE' && name !== 'TEST_DATABASE_URL',
  );
  return {
    ...Object.fromEntries(own),
    PATH: [join(runtime, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    // Makes node-gyp use the headers of this Node instead of the machine's.
    npm_config_nodedir: join(runtime, 'node_modules', nodePackage),
  };
}

/** Runs one step to its end with its output in a separate file; returns whether it exited with 0, and its duration. */
function step(name, { folder, cwd, command, args, env }) {
  const log = join(folder, `${name.replaceAll(/\W+/g, '-')}.log`);
  const output = openSync(log, 'w');
  const started = performance.now();
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: ['ignore', output, output] });
  const seconds = Math.round((performance.now() - started) / 1000);
  if (status !== 0) process.stderr.write(`${name} failed${error ? ` (${error.message})` : ''}; its output: ${log}\n`);
  return { passed: status === 0, seconds };
}

/** An npm that runs on the Node of this line. */
function installRuntime(folder, { node, npm }) {
  const runtime = join(folder, 'runtime');
  mkdirSync(runtime);
  writeFileSync(join(runtime, 'package.json'), '{"private":true}\n');
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${nodePackage}@${node}`, `npm@${npm}`];
  const env = { ...environment(runtime), PATH: process.env.PATH };
  const { passed } = step(`Node ${node} install`, { folder, cwd: runtime, command: 'npm', args: install, env });
  return passed ? runtime : null;
}

/** Prints each failed test with its message: a machine that is gone tomorrow keeps no log. */
function printFailures(testResults) {
  for (const { name, message } of testResults.filter(({ status }) => status === 'failed')) {
    process.stderr.write(`\n${relative(root, name)}\n${message}\n`);
  }
}

function testsOf(report, { passed, seconds }) {
  if (!existsSync(report)) return 'did not run';
  const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults } = JSON.parse(
    readFileSync(report),
  );
  if (!passed) printFailures(testResults);
  const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
  const failed = passed ? '0 failed' : `${numFailedTests} failed in ${numFailedTestSuites} files`;
  return `${numPassedTests} passed, ${failed}${skipped} (${seconds} s)`;
}

function runLine(folder, { node, npm }) {
  const runtime = installRuntime(folder, { node, npm });
  if (!runtime) return { ok: false, cells: ['-', '-', 'Node could not be installed'] };
  const cwd = options.here ? root : join(folder, 'checkout');
  if (!options.here) cpSync(root, cwd, { recursive: true, filter: (path) => !ownFolders.has(relative(root, path)) });
  const command = join(runtime, 'node_modules', nodePackage, 'bin', 'node');
  const npmCli = join(runtime, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const env = environment(runtime);
  const run = (name, ...args) => step(`Node ${node} ${name}`, { folder, cwd, command, args: [npmCli, ...args], env });

  const runTests = () => {
    const report = join(folder, 'tests.json');
    const jest = ['--json', `--outputFile=${report}`, `--cacheDirectory=${join(folder, 'jest')}`, ...testPaths];
    const tests = run('tests', 'test', '--', ...jest);
    return { ok: tests.passed, cell: testsOf(report, tests) };
  };

  if (options.here) {
    const { ok, cell } = runTests();
    return { ok, cells: ['left out', 'left out', cell] };
  }
  const ci = run('npm ci', 'ci', '--no-audit', '--no-fund');
  if (!ci.passed) return { ok: false, cells: [`failed (${ci.seconds} s)`, '-', '-'] };
  const demo = run('demo', 'run', 'demo', '--', '--once');
  const cells = [`${ci.seconds} s`, `${demo.passed ? 'passed' : 'failed'} (${demo.seconds} s)`];
  if (options['demo-only']) return { ok: demo.passed, cells: [...cells, 'left out'] };
  const { ok, cell } = runTests();
  return { ok: demo.passed && ok, cells: [...cells, cell] };
}

function print(cells) {
  const widths = [10, 16, 16, 0];
  process.stdout.write(
    `${cells
      .map((cell, column) => cell.padEnd(widths[column]))
      .join(' ')
      .trimEnd()}\n`,
  );
}

const unknown = asked.filter((line) => !(line in lines));
if (unknown.length > 0) {
  process.stderr.write(`Unknown line of Node: ${unknown.join(', ')}. Known: ${Object.keys(lines).join(', ')}.\n`);
  process.exit(2);
}
if (platform !== 'linux-x64') {
  process.stderr.write(`Tried on linux-x64 only; this is ${platform}, so Node is taken from ${nodePackage}.\n`);
}
let allPassed = true;
print(['Node', 'npm ci', 'demo --once', 'tests']);
for (const line of asked.length > 0 ? asked : Object.keys(lines)) {
  const folder = mkdtempSync(join(tmpdir(), `node-line-${line}-`));
  const { ok, cells } = runLine(folder, lines[line]);
  print([lines[line].node, ...cells]);
  if (ok) rmSync(folder, { recursive: true, force: true });
  allPassed &&= ok;
}
process.exit(allPassed ? 0 : 1);
