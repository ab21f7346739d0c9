import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawCommands } from '../baselines/raw.process.js';
import { type Figure, figureOf } from '../figures.js';
import { firstTime, timeOf } from '../load/points.js';
import type { Pages, UpstreamCommands } from '../load/upstream.process.js';
import { Child, cores } from '../process/child.js';
import { interleaved, type Series, type Variant, valuesOf } from '../rounds.js';
import type { Plan } from './plan.js';
import { PulsekeepProcess, preparedDatabase } from './pulsekeep.js';

/** Pulled side by side. */
const accountsPerRound = 20;

const pageSizes = [5_000, 1_000] as const;

/** Pulls of whole accounts over HTTP until every task is done, against raw upserts of as many rows. */
export async function backfill({ rounds, scale, step }: Plan): Promise<Figure[]> {
  const shapes = pageSizes.map((size) => ({ size, count: Math.max(2, Math.round((40_000 * scale) / size)) }));
  const accounts = (rounds + 1) * shapes.length * accountsPerRound;
  const stage = new Stage();
  try {
    const { upstream, process, raw } = await stage.open(accounts);
    const pulls = shapes.map((pages) => pull(process, upstream, pages));
    const points = Math.max(...shapes.map(({ size, count }) => size * count));
    const variants = [...pulls, ...rawVariants(raw, points)];
    return backfillFigures(await interleaved(rounds, variants, step));
  } finally {
    await stage.end();
  }
}

class Stage {
  private readonly ends: (() => Promise<void> | void)[] = [];

  async open(accounts: number): Promise<{
    upstream: Child<UpstreamCommands>;
    process: PulsekeepProcess;
    raw: Child<RawCommands>;
  }> {
    const upstream = this.kept(await Child.start<UpstreamCommands>('load/upstream.process.js', cores.driver));
    const { port } = await upstream.ask('listen');
    const process = this.kept(await PulsekeepProcess.start(accounts, port));
    const raw = this.kept(await Child.start<RawCommands>('baselines/raw.process.js', cores.measured));
    const { folder, path } = await preparedDatabase(accounts);
    const texts = mkdtempSync(join(tmpdir(), 'pulsekeep-bench-'));
    for (const made of [folder, texts]) this.ends.unshift(() => rmSync(made, { recursive: true, force: true }));
    await raw.ask('open', { textKeyPath: join(texts, 'text.sqlite'), samplesPath: path, accounts });
    return { upstream, process, raw };
  }

  async end(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
  }

  private kept<C extends { end(): Promise<void> }>(child: C): C {
    this.ends.push(() => child.end());
    return child;
  }
}

let nextAccount = 0;

/** From the first claim to the last commit, as the tasks themselves say. */
function pull(process: PulsekeepProcess, upstream: Child<UpstreamCommands>, pages: Pages): Variant<string> {
  const points = pages.size * pages.count;
  const run = async (): Promise<Record<string, number>> => {
    await upstream.ask('offer', pages);
    const first = nextAccount;
    nextAccount += accountsPerRound;
    const window = { start: firstTime, end: timeOf(points) };
    const { last } = process.row<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM sync_tasks');
    const accounts = Array.from({ length: accountsPerRound }, (_, offset) => first + offset);
    await Promise.all(accounts.map((account) => process.requestSync(account, window)));
    await process.until(`SELECT 1 FROM sync_tasks WHERE status IN ('pending', 'running') LIMIT 1`, 120);
    return { rate: pulledSince(process, last, points * accountsPerRound) };
  };
  return { name: nameOf(pages.size), run };
}

function pulledSince(process: PulsekeepProcess, lastTask: number, expected: number): number {
  const { written, started, finished } = process.row<{ written: number; started: number; finished: number }>(
    `SELECT sum(written) AS written, min(started_at) AS started, max(finished_at) AS finished
     FROM sync_tasks WHERE id > ${lastTask} AND status = 'done'`,
  );
  if (written !== expected) throw new Error(`Of ${expected} points ${written} were stored.`);
  return (written * 1000) / (finished - started);
}

const rawText = 'raw upserts, text key';
const rawSame = 'raw upserts, same schema';

function rawVariants(raw: Child<RawCommands>, points: number): Variant<string>[] {
  const variant = (name: string, command: 'textKey' | 'samples'): Variant<string> => ({
    name,
    run: async (round) => {
      const work = { firstAccount: round * accountsPerRound, accounts: accountsPerRound, points };
      return { rate: (points * accountsPerRound) / (await raw.ask(command, work)) };
    },
  });
  return [variant(rawText, 'textKey'), variant(rawSame, 'samples')];
}

function backfillFigures(series: Series<string>): Figure[] {
  const unit = 'points/s';
  const baseline = (name: string) => ({ name, values: valuesOf(series, name, 'rate') });
  const figures = [rawText, rawSame].map((name) => figureOf({ name, unit, values: valuesOf(series, name, 'rate') }));
  for (const size of pageSizes) {
    const values = valuesOf(series, nameOf(size), 'rate');
    const goal = { of: 'ratio', atLeast: size === 5_000 ? 0.9 : 0.7 } as const;
    figures.push(figureOf({ name: nameOf(size), unit, values, baseline: baseline(rawText), goal }));
    figures.push(figureOf({ name: nameOf(size), unit, values, baseline: baseline(rawSame) }));
  }
  return figures;
}

function nameOf(size: number): string {
  return `backfill, pages of ${size.toLocaleString('en-US')}`;
}
