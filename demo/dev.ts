import '../src/app/refuse-old-node.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { integer, programOf } from '../harness/arguments.js';
import { freePort } from '../harness/free-port.js';
import { askedToEnd, endWithThis } from '../harness/processes.js';
import { signInAddress } from './sign-in.js';
import { accountName, signUpOne, usualResources } from './story.js';
import { type Keys, newKeys, startWorld, type World } from './world.js';

/*
 * `npm run dev`: the simulated upstream, the service and signed-in users, until Ctrl-C. The service restarts when its
 * files change; `--compile` compiles changed sources. Its address, keys and database stay the same over restarts and
 * the next start (`--fresh` starts over). Upstream stores nothing, so the next start creates this program's users again
 * and reconnects their sources.
 */

const compilerArguments = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--watch'];

/** Common ports of development servers for web apps and React Native. */
const usualOrigins = 'http://localhost:3000,http://localhost:5173,http://localhost:8081';

/** Maximum number of accounts whose upstream users the next start creates again. */
const MAX_KNOWN = 500;
const MAX_PEOPLE = 50;

interface Kept {
  readonly keys: Keys;
  readonly starts: number;
  readonly accounts: readonly string[];
}

interface Asked {
  readonly people: number;
  readonly fresh: boolean;
  readonly compile: boolean;
}

function asked(): Asked {
  return programOf('dev', 'The simulated upstream, the service and signed-in users, until Ctrl-C.')
    .option('--people <n>', 'number of users', integer(1, MAX_PEOPLE), 1)
    .option('--fresh', 'start with a new database and new keys', false)
    .option('--compile', 'compile changed sources', false)
    .parse()
    .opts<Asked>();
}

async function main(): Promise<void> {
  const { people, fresh, compile: compiles } = asked();
  const stopped = askedToEnd();
  const folder = resolve('data/dev');
  if (fresh) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'kept.json');
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : null;
  const kept = nextStart(before);
  const keep = (accounts: readonly string[]): void =>
    writeFileSync(file, JSON.stringify({ ...kept, accounts }), { mode: 0o600 });
  keep(kept.accounts);
  if (before)
    say(`Continues with the database of the last start, in ${folder}; \`npm run dev -- --fresh\` starts over.`);
  // The port stays the same over restarts.
  const { PORT = String(await freePort()), CORS_ORIGINS = usualOrigins, SYNC_RESOURCES = 'all' } = process.env;
  const world = await startWorld({
    folder,
    keys: kept.keys,
    known: kept.accounts,
    start: kept.starts,
    env: { PORT, CORS_ORIGINS, SYNC_RESOURCES },
    watch: { onRestart: () => say('The service has restarted.') },
  }).catch((error: unknown) => {
    if (before) say('If the database of the last start is the cause, run `npm run dev -- --fresh` to start over.');
    throw error;
  });
  const compiler = compiles ? compile() : null;
  try {
    const resources = SYNC_RESOURCES === 'all' ? usualResources : SYNC_RESOURCES.split(',');
    for (let index = 0; index < people; index++) {
      await signUpOne(world, index, { resources, per_day: 24, so_far: true });
    }
    keep(await accountsOf(world));
    say(await directions(world, people));
    await stopped;
    keep(await accountsOf(world));
  } finally {
    await Promise.all([world.stop(), compiler && ended(compiler)]);
  }
}

/** Keys of an earlier start, or new ones. */
function nextStart(before: Kept | null): Kept {
  const { keys, accounts, starts } = before ?? { keys: {}, accounts: [], starts: 0 };
  return { keys: { ...newKeys(), ...keys }, accounts, starts: starts + 1 };
}

async function accountsOf(world: World): Promise<string[]> {
  const { data } = await world.admin().get<{ data: { account_id: string }[] }>(`/admin/v1/accounts?limit=${MAX_KNOWN}`);
  return data.data.map(({ account_id }) => account_id);
}

/** Compiles changed files and reports errors. */
function compile(): ChildProcess {
  const compiler = spawn(process.execPath, [...compilerArguments, '--preserveWatchOutput'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  endWithThis(compiler);
  return compiler;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function directions(world: World, people: number): Promise<string> {
  const { pulsekeep, sandbox, operatorKey, appSecret, folder } = world;
  const user = accountName(0);
  const userToken = await world.token(user, '30d');
  const next = accountName(people);
  const curl = (credentials: string, path: string, method = 'GET'): string =>
    `  curl ${method === 'GET' ? '' : `-X ${method} `}-H 'Authorization: Bearer ${credentials}' ${pulsekeep.url}${path}`;
  return [
    '',
    `console     ${await signInAddress(world)}    signed in, works once; later use the admin key`,
    `service     ${pulsekeep.url}    all routes: ${pulsekeep.url}/docs`,
    `upstream    ${sandbox.url}    simulated; controlled under /control, see sandbox/README.md`,
    `admin key   ${operatorKey}`,
    `user        ${user}${people > 1 ? ` to ${accountName(people - 1)}` : ''}`,
    `user token  ${userToken}`,
    `JWT secret  ${appSecret}    signs access tokens (HS256, \`sub\` is the account)`,
    `logs        ${folder}    also the database and keys; kept for the next start unless \`--fresh\``,
    '',
    'For the calls of README.md and docs/app.md:',
    `  export URL=${pulsekeep.url} TOKEN=${userToken} ADMIN_KEY=${operatorKey}`,
    '',
    'First calls, of the app and of an operator:',
    curl(userToken, '/v1/me'),
    curl(userToken, '/v1/me/today'),
    curl(userToken, '/v1/me/records/sleep'),
    curl(operatorKey, '/admin/v1/overview'),
    '',
    `Another person, ${next}:`,
    curl(await world.token(next, '30d'), '/v1/me/sign-in-token', 'POST'),
    '',
    'The service restarts when its files change; after a crash, it waits for a change.',
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'The start failed.'}\n`);
  process.exitCode = 1;
});
