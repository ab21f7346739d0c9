import '../../src/app/refuse-old-node.js';
import { readdirSync, readFileSync } from 'node:fs';
import { integer, programOf } from '../../harness/arguments.js';
import { Rng } from '../../sandbox/engine/random.js';
import { Driver } from '../driver.js';
import { readOptions } from '../options.js';
import { World } from '../world.js';
import { type Judged, judge } from './judge.js';
import { type ApiDocument, Requests } from './requests.js';

/*
 * Sends seeded valid, nearly valid and nonsense requests to every operation of the OpenAPI document. Exits with 1
 * after a response of 500 or more, an undocumented response, a hang, a crash or memory growth; 2 for wrong usage.
 */

const AT_ONCE = 8;
/** Memory and handles are compared between these shares of the requests. */
const [WARM, END] = [0.4, 1];
const MAX_GROWTH_BYTES = 100 * 1024 * 1024;
const MAX_GROWTH_HANDLES = 20;

async function main(seed: string, count: number): Promise<number> {
  const world = await World.start(readOptions(['--seed', seed, '--people', '3'], {}));
  let left = 0;
  try {
    const driver = new Driver(world);
    await driver.prepare();
    const url = String(world.members[0]?.url);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument;
    const credentials = { ...(await world.credentials('person-001')), now: Date.now };
    const requests = new Requests(document, new Rng(seed, 'fuzz'), credentials);
    for (const path of ['/accounts', '/orders', '/messages', '/sync/tasks', '/link-attempts']) {
      requests.learn((await world.admin('GET', path)).body);
    }
    const part = (from: number, to: number): Promise<Judged> =>
      judge(url, document, requests, { from: Math.floor(count * from), to: Math.floor(count * to), atOnce: AT_ONCE });
    const first = await part(0, WARM);
    const before = footprint(world);
    const rest = await part(WARM, END);
    const after = footprint(world);
    const faults = [...first.faults, ...rest.faults].map(
      ([what, { count: times, first: at }]) => `${times} x ${what} (request ${at})`,
    );
    if (after.bytes - before.bytes > MAX_GROWTH_BYTES)
      faults.push(`memory grew from ${before.bytes} to ${after.bytes}`);
    if (after.handles - before.handles > MAX_GROWTH_HANDLES) {
      faults.push(`open files grew from ${before.handles} to ${after.handles}`);
    }
    if (world.seen.of('started') !== 1) faults.push('the process exited');
    const { status } = await world.admin('GET', '/overview');
    if (status !== 200) faults.push(`the overview answers ${status} afterwards`);
    say(`seed ${seed}, ${count} requests to ${requests.size} operations`);
    say(`answers    ${statuses([first, rest])}`);
    say(
      `memory     ${mebibytes(before.bytes)} then ${mebibytes(after.bytes)} MiB, open files ${before.handles} then ${after.handles}`,
    );
    for (const fault of faults) say(`FAULT      ${fault}`);
    say(faults.length === 0 ? 'every answer is as described' : `${faults.length} faults`);
    say(`again      npm run fuzz -- --seed ${seed} --requests ${count}`);
    left = faults.length;
    return left === 0 ? 0 : 1;
  } finally {
    await world.stop(left > 0);
  }
}

/** Resident bytes, open files and sockets of the process. */
function footprint(world: World): { bytes: number; handles: number } {
  const pid = world.members[0]?.pid;
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return { bytes: Number(pages) * 4096, handles: readdirSync(`/proc/${pid}/fd`).length };
}

function statuses(parts: readonly Judged[]): string {
  const sum = new Map<number, number>();
  for (const { statuses: counts } of parts)
    for (const [status, count] of counts) sum.set(status, (sum.get(status) ?? 0) + count);
  return [...sum]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const { seed, requests } = programOf('fuzz', 'Sends valid, nearly valid and nonsense requests to every route.')
  .option('--seed <n>', 'selects the requests', String(Date.now() % 1_000_000))
  .option('--requests <n>', 'number of requests', integer(1, 100_000_000), 20_000)
  .parse()
  .opts<{ seed: string; requests: number }>();
main(seed, requests).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`The run failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
