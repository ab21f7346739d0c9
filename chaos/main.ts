import '../src/app/refuse-old-node.js';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Checks, type Findings } from './checks.js';
import { Driver } from './driver.js';
import { failedRounds } from './failed-rounds.js';
import { Growth } from './growth.js';
import { Injector } from './injector.js';
import { commandOf, type Options, readOptions } from './options.js';
import { World } from './world.js';

/*
 * Injects faults for a while, waits until no work is left, and compares the stored data with upstream's truth. Exits
 * with 0 if all invariants of docs/reliability.md hold, 1 if one is broken, 2 for wrong usage.
 */

const LOOK_AGAIN_MS = 3000;

async function main(options: Options): Promise<number> {
  const begun = performance.now();
  say(
    `seed ${options.seed}, ${options.minutes} min, ${options.server === null ? 'SQLite' : 'PostgreSQL, 3 processes'}`,
  );
  const world = await World.start(options);
  let held = false;
  try {
    const driver = new Driver(world);
    await driver.prepare();
    const injector = new Injector(world, driver);
    await injector.begin();
    driver.begin();
    const growth = new Growth(world.members, async () => (await world.control.state()).answered);
    growth.begin();
    await disturbFor(world, driver, options.minutes * 60_000);
    growth.end();
    say('the faults end');
    await injector.end();
    await driver.end();
    await mend(world, driver);
    const resting = performance.now();
    const findings = await untilAtRest(world, driver, options.restSeconds * 1000);
    for (const found of growth.violations()) findings.violations.push({ invariant: 'growth', found });
    for (const { logFile } of world.members) {
      const rounds = failedRounds(readFileSync(logFile, 'utf8'));
      findings.violations.push(...rounds.map((found) => ({ invariant: 'j', found })));
    }
    const ways = { rest: performance.now() - resting, whole: performance.now() - begun };
    const left = await world.stop(findings.violations.length > 0);
    if (left > 0) findings.violations.push({ invariant: 'h', found: `${left} processes did not end when asked to` });
    held = findings.violations.length === 0;
    say(report(world, findings, growth, ways));
    if (!held) say(`logs: ${world.folder}`);
    return held ? 0 : 1;
  } catch (error) {
    await world.stop(true).catch(() => undefined);
    throw error;
  }
}

async function disturbFor(world: World, driver: Driver, ms: number): Promise<void> {
  const end = performance.now() + ms;
  for (let tick = 0; performance.now() < end; tick += 1) {
    await pause(Math.min(1000, Math.max(0, end - performance.now())));
    if (tick % 30 !== 29) continue;
    const left = Math.round((end - performance.now()) / 1000);
    const answered = await world.control.state().then(
      (state) => state.answered,
      () => 'unknown',
    );
    const kills = world.injected.of('process.kill');
    say(`${left} s left, ${driver.people.length} people, ${kills} kills, ${answered} deliveries`);
  }
}

/**
 * What an operator does after an outage: reconnects lost connections, and has upstream resend the messages that it gave
 * up.
 */
async function mend(world: World, driver: Driver): Promise<void> {
  const { users } = await world.control.truthUsers();
  for (const { userId, provider, isLinked, isErased } of driver.people) {
    const user = users.find(({ user_id }) => user_id === userId);
    if (!user || !isLinked || isErased || user.providers.includes(provider)) continue;
    await world.control.connect({ user_id: userId, provider });
  }
  const { messages } = await world.control.messages({ state: 'exhausted' });
  for (const { id, event_type } of messages) {
    if (!event_type.startsWith('fault.')) await world.control.replay({ message_id: id });
  }
}

/**
 * Repeats the checks until everything holds and nothing is waiting, or for `ms`; after that, waiting work counts as
 * stuck.
 */
async function untilAtRest(world: World, driver: Driver, ms: number): Promise<Findings> {
  const checks = new Checks(world, driver);
  const end = performance.now() + ms;
  for (;;) {
    const isLast = performance.now() > end;
    const findings = await checks.look(isLast);
    const isDone = findings.violations.length === 0 && findings.waiting.length === 0;
    if (isDone) return findings;
    if (isLast) {
      for (const found of findings.waiting) findings.violations.push({ invariant: 'h', found });
      return findings;
    }
    await pause(LOOK_AGAIN_MS);
  }
}

function report(
  world: World,
  { violations, figures }: Findings,
  growth: Growth,
  ways: { rest: number; whole: number },
): string {
  const { deliveries, messages, acknowledged, lost, dead, ignored, records, orders, accounts } = figures;
  return [
    '',
    `injected   ${world.injected.text()}`,
    `seen       ${world.seen.text()}`,
    `figures    ${deliveries} deliveries of ${messages} messages, ${acknowledged} acknowledged, ${lost} lost, ` +
      `${dead} dead, ${ignored} ignored; ${records} records of ${accounts} accounts, ${orders} orders`,
    `growth     ${growth.text()}`,
    `time       at rest ${seconds(ways.rest)} s after the faults, ${seconds(ways.whole)} s in all`,
    ...violations.map(({ invariant, found }) => `VIOLATION  (${invariant}) ${found}`),
    violations.length === 0 ? 'every invariant holds' : `${violations.length} violations`,
    `again      ${commandOf(world.options)}`,
  ].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(readOptions(process.argv.slice(2), process.env)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`The run failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
