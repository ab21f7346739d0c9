import '../src/app/refuse-old-node.js';
import { rmSync } from 'node:fs';
import { programOf } from '../harness/arguments.js';
import { askedToEnd } from '../harness/processes.js';
import { checkAll, table } from './checks.js';
import { fleetStory, liveFleet, outage, storyEnvironment } from './fleet.js';
import { watchUntilAtRest } from './progress.js';
import { signInAddress } from './sign-in.js';
import { type DemoAccount, liveOn, redraw, signUp } from './story.js';
import { accounts, historyDays, resources, startWorld, type World } from './world.js';

/*
 * The main scenario on a fresh machine: starts both programs, runs the complete loop over HTTP, and compares the store
 * with upstream record by record. With `--once` it then exits, with 0 if nothing differs.
 */

const LONGEST_WAIT_SECONDS = 180;
const OUTAGE_SECONDS = 60;

async function main(once: boolean): Promise<number> {
  const world = await startWorld(once ? {} : { env: storyEnvironment });
  const ended = new AbortController();
  const asked = askedToEnd().then(() => ended.abort());
  try {
    if (!once) say(await addresses(world));
    const { people, differing } = await tell(world);
    if (!once) {
      await liveOnUntil(world, people, ended.signal);
      await asked;
    }
    return differing === 0 ? 0 : 1;
  } finally {
    await world.stop();
    if (once) rmSync(world.folder, { recursive: true, force: true });
  }
}

/** The story, an outage, and then new data until the demo is stopped. */
async function liveOnUntil(world: World, people: readonly DemoAccount[], ended: AbortSignal): Promise<void> {
  say('The story: a nap beside a night, two watches, a redraw, a critical result, a result to decide, a dead message');
  await fleetStory(world, people);
  await watchUntilAtRest(world, 'story  ', LONGEST_WAIT_SECONDS);
  say(`Upstream is away for ${OUTAGE_SECONDS} s, and missed data is pulled. Data keeps arriving until Ctrl-C.`);
  say(`\n  ${await signInAddress(world)}\n`);
  say(`Why a day is empty: choose an outlined one at ${world.pulsekeep.url}/console/accounts/demo-user-07\n`);
  await Promise.all([outage(world, people, OUTAGE_SECONDS, ended), liveFleet(world, people, ended)]);
}

async function tell(world: World): Promise<{ people: DemoAccount[]; differing: number }> {
  say(`Pulsekeep at ${world.pulsekeep.url}, the simulated upstream at ${world.sandbox.url}`);
  say(`${accounts} users sign in and connect a source with ${historyDays} days of ${resources.join(', ')}`);
  const people = await signUp(world);
  await watchUntilAtRest(world, 'history', LONGEST_WAIT_SECONDS);
  say('Upstream rotates the webhook secret, finds new data and corrects old data; a lab asks for a redraw');
  await liveOn(world, people);
  const [patient] = people;
  if (!patient) throw new Error('nobody signed up');
  const pair = await redraw(world, patient);
  await watchUntilAtRest(world, 'live   ', LONGEST_WAIT_SECONDS);
  const checks = await checkAll(world, people, pair);
  const differing = checks.reduce((sum, check) => sum + check.differing, 0);
  say(`\n${table(checks)}\n`);
  say(differing === 0 ? 'The store equals upstream.' : `${differing} differences. Logs: ${world.folder}`);
  return { people, differing };
}

async function addresses(world: World): Promise<string> {
  const key = `Authorization: Bearer ${world.operatorKey}`;
  return [
    '',
    'The console, signed in (the address works once):',
    `  ${await signInAddress(world)}`,
    '',
    'The same by curl, until Ctrl-C:',
    `  key            ${world.operatorKey}, also for ${world.pulsekeep.url}/console`,
    `  API document   ${world.pulsekeep.url}/docs`,
    `  overview       curl -H '${key}' ${world.pulsekeep.url}/admin/v1/overview`,
    `  accounts       curl -H '${key}' ${world.pulsekeep.url}/admin/v1/accounts`,
    `  messages       curl -H '${key}' ${world.pulsekeep.url}/admin/v1/messages`,
    `  metrics        ${world.pulsekeep.url}/metrics`,
    `  files and logs ${world.folder}`,
  ].join('\n');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const { once } = programOf('demo', '20 users, webhooks, 90 days of history and a redraw, then a story until Ctrl-C.')
  .option('--once', 'exit after the comparison with upstream, with 0 if nothing differs', false)
  .parse()
  .opts<{ once: boolean }>();
main(once).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`The demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
