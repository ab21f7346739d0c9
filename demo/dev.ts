import '../src/app/refuse-old-node.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { signUpOne } from './story.js';
import { startWorld, type World } from './world.js';

/*
 * `npm run dev`: the simulated upstream, the service and one signed-in user, until Ctrl-C. The service keeps its
 * address, keys and database when it is restarted because its files changed; with `--compile` they change with the
 * sources.
 */

const compilerArguments = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--watch'];

async function main(): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
  });
  const world = await startWorld({
    port: await freePort(),
    watch: { onRestart: () => say('The service has restarted.') },
  });
  const compiler = process.argv.includes('--compile') ? compile() : null;
  try {
    const { account_id } = await signUpOne(world, 0);
    say(await directions(world, account_id));
    await asked;
  } finally {
    await Promise.all([world.stop(), compiler && ended(compiler)]);
    rmSync(world.folder, { recursive: true, force: true });
  }
}

/** Compiles whatever changes; says what does not compile. */
function compile(): ChildProcess {
  return spawn(process.execPath, [...compilerArguments, '--preserveWatchOutput'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** One that stays the same over restarts. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof address === 'object' && address ? address.port : 0);
}

async function directions(world: World, account: string): Promise<string> {
  const { pulsekeep, sandbox, operatorKey, folder } = world;
  const userToken = await world.token(account, '30d');
  const curl = (credentials: string, path: string): string =>
    `  curl -H 'Authorization: Bearer ${credentials}' ${pulsekeep.url}${path}`;
  return [
    '',
    `service     ${pulsekeep.url}    whole interface: ${pulsekeep.url}/docs`,
    `upstream    ${sandbox.url}    simulated; steered under /control, see sandbox/README.md`,
    `admin key   ${operatorKey}`,
    `user        ${account}`,
    `user token  ${userToken}`,
    `logs        ${folder}`,
    '',
    'First calls, of the app and of an operator:',
    curl(userToken, '/v1/me'),
    curl(userToken, '/v1/me/records/sleep'),
    curl(operatorKey, '/admin/v1/overview'),
    '',
    'Ctrl-C ends all.',
  ].join('\n');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'The start failed.'}\n`);
  process.exitCode = 1;
});
