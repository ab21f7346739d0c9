import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { entities } from '../../src/app/rooms.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { DAY_MS } from '../../src/platform/platform/time.js';
import type { NewChange } from '../../src/storage/change-log/change.js';
import { ChangeLogRepository } from '../../src/storage/change-log/change-log.repository.js';
import { noteChanges } from '../../src/storage/change-log/note-changes.js';
import { openStore, openWriter } from '../../src/storage/database/store.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import type { Followed, FollowerCommands } from '../load/followers.process.js';
import { eventResource, source, timeOf } from '../load/points.js';
import { Child, cores } from '../process/child.js';
import { deadPort, PulsekeepProcess, preparedDatabase, readerKeys } from '../process/pulsekeep.js';
import { configOf } from '../process/seed.js';
import { staged } from '../process/stage.js';
import { interleaved, type Numbers } from '../rounds.js';

const accounts = 200;
const rate = 1_000;
const connections = 32;
const crowd = 1_000;
const mostRounds = 3;
/** Time after which V8 has returned unused memory. */
const idleMs = 10_000;
/** Changes per write job. */
const batch = 300;
const following = 'a reader';

/** Latency from a change to a reader of the feed, memory with many readers, and bytes per entry. */
export function changes({ scale, step, ...plan }: Plan): Promise<Figure[]> {
  const rounds = Math.min(plan.rounds, mostRounds);
  return staged(async (keep) => {
    const pulsekeep = keep(await PulsekeepProcess.start(accounts, deadPort));
    const followers = keep(await Child.start<FollowerCommands>('load/followers.process.js', cores.driver));
    let first = 0;
    const paced = (count: number) => {
      const deliveries = { path: '/webhooks', label: 'changes', accounts, first, count };
      first += count;
      return followers.ask('paced', { port: pulsekeep.port, connections, deliveries, rate });
    };
    const follow = (readers: number) => followers.ask('follow', { port: pulsekeep.port, keys: readerKeys, readers });
    step(`${crowd} readers`);
    await follow(crowd);
    const toAll = await paced(1);
    await pause(idleMs * scale);
    const memory = pulsekeep.memory();
    await followers.ask('leave');
    await follow(1);
    const count = Math.round(4 * rate * scale);
    const of = await interleaved(rounds, [{ name: following, run: () => followed(paced(count)) }], step);
    step('bytes of an entry');
    const bytes = await bytesOfEntry(Math.round(100_000 * scale));
    const [unit, note] = ['ms', `${rate} messages of one new sample a second`];
    return [
      figureOf({ name: 'change to reader, p50', unit, values: of(following, 'p50'), note }),
      figureOf({ name: 'change to reader, p99', unit, values: of(following, 'p99') }),
      figureOf({ name: 'webhook answered to reader, p50', unit, values: of(following, 'answered50') }),
      figureOf({ name: 'webhook answered to reader, p99', unit, values: of(following, 'answered99') }),
      figureOf({ name: `change to all of ${crowd} readers, p99`, unit, values: [toAll.noted.p99] }),
      figureOf({ name: `memory, ${crowd} idle readers`, unit: 'MiB', values: [memory] }),
      figureOf({ name: 'entry of the feed', unit: 'bytes', values: [bytes] }),
    ];
  });
}

async function followed(run: Promise<Followed>): Promise<Numbers> {
  const { noted, answered } = await run;
  return { ...noted, answered50: answered.p50, answered99: answered.p99 };
}

/** Growth of a file by changes of samples, after they were numbered. */
async function bytesOfEntry(count: number): Promise<number> {
  return staged(async (keep) => {
    const { path } = keep(await preparedDatabase(accounts));
    const before = statSync(path).size;
    const store = await openStore(await openWriter(configOf(path), entities), configOf(path), new NetworkGate());
    const log = new ChangeLogRepository(store.reader);
    await store.lane.run((tx) => log.begin(tx, 0));
    for (let from = 0; from < count; from += batch) {
      const some = Array.from({ length: Math.min(batch, count - from) }, (_, offset) => changeOf(from + offset));
      await store.lane.run((tx) => noteChanges(tx, some, Date.now()));
      await store.lane.run((tx) => log.number(tx, batch, 0));
    }
    await store.close();
    return (statSync(path).size - before) / count;
  });
}

function changeOf(index: number): NewChange {
  const start = timeOf(index);
  const day = Math.floor(start / DAY_MS);
  return {
    kind: 'samples',
    action: 'created',
    account: (index % accounts) + 1,
    subject: `${(index % accounts) + 1}`,
    resource: eventResource,
    provider: source.provider,
    samples: { start, end: start, count: 1, firstDay: day, lastDay: day },
  };
}
