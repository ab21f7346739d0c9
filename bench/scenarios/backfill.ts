import type { UpsertCommands } from '../baselines/upserts.process.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { firstTime, timeOf } from '../load/points.js';
import type { UpstreamCommands } from '../load/upstream.process.js';
import { Child, cores } from '../process/child.js';
import { PulsekeepProcess, temporaryFolder } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';
import { interleaved } from '../rounds.js';

/** Accounts pulled in parallel. */
const accountsPerRound = 20;
const pageSize = 5_000;
const ours = 'backfill, pages of 5,000';
const raw = 'raw upserts, text key';

/**
 * Pulls of complete accounts over HTTP until every task is done, compared with raw upserts of the same number of rows.
 */
export function backfill({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const pages = { size: pageSize, count: Math.max(2, Math.round(8 * scale)) };
    const points = pages.size * pages.count;
    const upstream = keep(await Child.start<UpstreamCommands>('load/upstream.process.js', cores.driver));
    const { port } = await upstream.ask('listen');
    await upstream.ask('offer', pages);
    const pulsekeep = keep(await PulsekeepProcess.start((rounds + 1) * accountsPerRound, port));
    const upserts = keep(await Child.start<UpsertCommands>('baselines/upserts.process.js', cores.measured));
    await upserts.ask('open', { path: keep(temporaryFolder()).path('text.sqlite') });
    const sides = [
      { name: ours, run: async (round: number) => ({ rate: await pull(pulsekeep, round, points) }) },
      {
        name: raw,
        run: async (round: number) => {
          const work = { firstAccount: round * accountsPerRound, accounts: accountsPerRound, points };
          return { rate: (points * accountsPerRound) / (await upserts.ask('write', work)) };
        },
      },
    ];
    const of = await interleaved(rounds, sides, step);
    const baseline = { name: raw, values: of(raw, 'rate') };
    return [figureOf({ name: ours, unit: 'points/s', values: of(ours, 'rate'), baseline, floor: 0.35 })];
  });
}

/** Points per second from the first claim to the last commit, according to the times of the tasks. */
async function pull(pulsekeep: PulsekeepProcess, round: number, points: number): Promise<number> {
  const window = { start: firstTime, end: timeOf(points) };
  const last = pulsekeep.lastTask();
  const accounts = Array.from({ length: accountsPerRound }, (_, offset) => round * accountsPerRound + offset);
  await Promise.all(accounts.map((account) => pulsekeep.requestSync(account, window)));
  await pulsekeep.untilAllPulled(120);
  const { written, started, finished } = pulsekeep.row<{ written: number; started: number; finished: number }>(
    `SELECT sum(written) AS written, min(started_at) AS started, max(finished_at) AS finished
     FROM sync_tasks WHERE id > ${last} AND status = 'done'`,
  );
  const expected = points * accountsPerRound;
  if (written !== expected) throw new Error(`Of ${expected} points ${written} were stored.`);
  return (written * 1_000) / (finished - started);
}
