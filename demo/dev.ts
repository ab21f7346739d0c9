import '../src/app/refuse-old-node.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isAxiosError } from 'axios';
import { integer, programOf } from '../harness/arguments.js';
import { freePort, isFree } from '../harness/free-port.js';
import { askedToEnd, endWithThis } from '../harness/processes.js';
import { aboutUnknown, unknownVariables } from '../src/platform/config/unknown-variables.js';
import { variables } from '../src/platform/config/variables.js';
import { signInAddress } from './sign-in.js';
import { accountName, redraw, signUpOne, usualResources } from './story.js';
import { type Keys, newKeys, ownVariables, startWorld, type World } from './world.js';

/*
 * `npm run dev`: the simulated upstream, the service and signed-in users, until Ctrl-C. The service restarts when its
 * files change; `--compile` compiles changed sources. Its address, keys and database stay the same over restarts and
 * the next start (`--fresh` starts over), and so do upstream's users, sources, data, orders and results; at the next
 * start, sources add what they recorded meanwhile. Every variable of the service counts, except those that this program
 * sets itself, which are refused.
 */

/** As in package.json, so that nothing is compiled, and the service restarts, before a file changes. */
const compilerArguments = [
  ...['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--watch'],
  ...['--incremental', '--tsBuildInfoFile', 'dist/dev.tsbuildinfo'],
];

/** Common ports of development servers for web apps and React Native. */
const usualOrigins = 'http://localhost:3000,http://localhost:5173,http://localhost:8081';

const MAX_PEOPLE = 50;
const USUAL_PORT = 3_000;
/** Longest wait for the first night. */
const NIGHT_MS = 30_000;

interface Kept {
  readonly keys: Keys;
  readonly starts: number;
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
  const given = variablesOf(process.env);
  const stopped = askedToEnd();
  const folder = resolve('data/dev');
  if (fresh) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'kept.json');
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : null;
  const kept = nextStart(before);
  writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
  if (before)
    say(`Continues with the database of the last start, in ${folder}; \`npm run dev -- --fresh\` starts over.`);
  // The port stays the same over restarts.
  const { PORT = String(await usualPort()), SYNC_RESOURCES = 'all' } = given;
  const first = { per_day: 24, so_far: true, utc_offset: -60 * new Date().getTimezoneOffset() };
  const world = await startWorld({
    folder,
    keys: kept.keys,
    start: kept.starts,
    env: {
      ...{ CORS_ORIGINS: usualOrigins, APP_LINK_REDIRECT_ORIGINS: usualOrigins, APP_RESULTS: 'final' },
      ...{ ...given, PORT, SYNC_RESOURCES },
    },
    watch: { onRestart: () => say('The service has restarted.') },
  }).catch((error: unknown) => {
    if (before)
      say('Only one can run in a folder. If its database is the cause, `npm run dev -- --fresh` starts over.');
    throw error;
  });
  const compiler = compiles ? compile() : null;
  try {
    const resources = SYNC_RESOURCES === 'all' ? usualResources : SYNC_RESOURCES.split(',');
    for (let index = 0; index < people; index++) {
      if (await isSignedUp(world, accountName(index))) continue;
      const person = await signUpOne(world, index, { resources, ...first }).catch((error: unknown) => {
        if (!before) throw error;
        // The account may have been erased.
        say(`${accountName(index)} was not signed up: ${reasonOf(error)}`);
        return null;
      });
      if (person === null) continue;
      if (index === 0) await redraw(world, person);
      await live(world, person.account_id);
    }
    say(await directions(world, people));
    await stopped;
  } finally {
    await Promise.all([world.stop(), compiler && ended(compiler)]);
  }
}

/** Keys of an earlier start, or new ones. */
function nextStart(before: Kept | null): Kept {
  const { keys, starts } = before ?? { keys: {}, starts: 0 };
  return { keys: { ...newKeys(), ...keys }, starts: starts + 1 };
}

/** True for an account of an earlier start that has a source. */
async function isSignedUp(world: World, account: string): Promise<boolean> {
  const { data } = await world
    .admin()
    .get<{ connections?: unknown[] }>(`/admin/v1/accounts/${account}`, { validateStatus: () => true });
  return (data.connections ?? []).length > 0;
}

function reasonOf(error: unknown): string {
  const { response } = isAxiosError<{ detail?: string }>(error) ? error : { response: undefined };
  return response?.data.detail ?? (error instanceof Error ? error.message : 'unknown');
}

/** Puts a person into the developer's time zone, and waits until the last night is there. */
async function live(world: World, account: string): Promise<void> {
  const app = await world.app(account);
  await app.patch('/v1/me', { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  const end = Date.now() + NIGHT_MS;
  for (;;) {
    const { data } = await app.get<{ last_night: { record: object | null } }>('/v1/me/today');
    if (data.last_night.record !== null || Date.now() > end) return;
    await setTimeout(500);
  }
}

/** Variables of the service in an environment. Throws for a misspelled one, or one that this program sets itself. */
function variablesOf(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  for (const unknown of unknownVariables(environment)) {
    if (unknown.refused) throw new Error(`${unknown.name} ${aboutUnknown(unknown)}.`);
    say(`${unknown.name} has no effect: it ${aboutUnknown(unknown)}.`);
  }
  const given: Record<string, string> = {};
  for (const known of Object.keys(variables)) {
    for (const name of [known, `${known}_FILE`]) {
      const value = environment[name];
      if (value === undefined || value === '') continue;
      if (ownVariables.some((own) => own === known)) {
        throw new Error(`\`npm run dev\` sets ${known} itself: unset ${name}, or use \`npm start\`.`);
      }
      // The service runs in another folder.
      given[name] = /_(?:FILE|PATH|FOLDER)$/.test(name) ? resolve(value) : value;
    }
  }
  return given;
}

/** 3000 if it is free. */
async function usualPort(): Promise<number> {
  return (await isFree(USUAL_PORT)) ? USUAL_PORT : freePort();
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
  const { pulsekeep, sandbox, operatorKey, backendKey, feedKey, appSecret, folder } = world;
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
    `admin key   ${operatorKey}    role operator`,
    `backend key ${backendKey}    role backend`,
    `feed key    ${feedKey}    role feed+values`,
    `user        ${user}${people > 1 ? ` to ${accountName(people - 1)}` : ''}`,
    `user token  ${userToken}`,
    `JWT secret  ${appSecret}    signs access tokens (HS256, \`sub\` is the account)`,
    `logs        ${folder}    also the database and keys; kept for the next start unless \`--fresh\``,
    '',
    'For the calls of README.md and docs/app.md:',
    `  export URL=${pulsekeep.url} TOKEN=${userToken} ADMIN_KEY=${operatorKey} BACKEND_KEY=${backendKey} FEED_KEY=${feedKey}`,
    '',
    'For commands beside the service; those that call its routes need --url:',
    `  set -a; . ${join(folder, 'service.env')}; set +a; export PULSEKEEP_ADMIN_KEY=${operatorKey}`,
    `  npm run cli -- overview --url ${pulsekeep.url}`,
    '',
    'First calls, of the app and of an operator:',
    curl(userToken, '/v1/me'),
    curl(userToken, '/v1/me/today'),
    curl(userToken, '/v1/me/records/sleep'),
    curl(operatorKey, '/admin/v1/overview'),
    '',
    `Another person, ${next}; then open the \`link_web_url\` of a link token in a browser to connect a source:`,
    curl(await world.token(next, '30d'), '/v1/me/sign-in-token', 'POST'),
    curl(await world.token(next, '30d'), '/v1/me/link-token', 'POST'),
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
