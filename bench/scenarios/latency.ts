import { type Figure, figureOf } from '../figures.js';
import type { LoadCommands, LoadResult } from '../load/load.process.js';
import { eventResource, firstTime, timeOf } from '../load/points.js';
import type { UpstreamCommands } from '../load/upstream.process.js';
import { Child, cores } from '../process/child.js';
import { interleaved, median, type Series, type Variant, valuesOf } from '../rounds.js';
import { ask, longestTurn, MOST_TURN_MS } from './operator.js';
import type { Plan } from './plan.js';
import { PulsekeepProcess } from './pulsekeep.js';

const rate = 1_000;
const connections = 32;
const messageAccounts = 200;
const pages = { size: 5_000, count: 10 };
/** More than can be pulled in a second. */
const pulledPerSecond = 10;

/** They are long. */
const mostRounds = 3;

const idle = 'idle';
const pulling = 'during a backfill';
const together = 'all at once';

/** What operators go on asking meanwhile: of the first account that was pulled, and of the whole. */
const asked = [
  `/admin/v1/accounts/bench-${messageAccounts}/export`,
  `/admin/v1/accounts/bench-${messageAccounts}/records/${eventResource}?limit=500`,
  `/admin/v1/accounts/bench-${messageAccounts}/timeline?limit=500`,
  `/admin/v1/accounts/bench-${messageAccounts}/coverage?start=2024-01-01&end=2024-12-31`,
  '/admin/v1/messages?limit=500',
  '/admin/v1/overview',
];

/**
 * What upstream waits for its 204 at 1,000 messages a second, each applied as well: alone, beside a backfill, and with
 * readers besides.
 */
export async function latency({ scale, step, ...plan }: Plan): Promise<Figure[]> {
  const rounds = Math.min(plan.rounds, mostRounds);
  const seconds = Math.max(1, Math.round(8 * scale));
  const stage = new Stage(seconds);
  try {
    await stage.open(messageAccounts + (rounds + 1) * 2 * seconds * pulledPerSecond);
    return latencyFigures(await interleaved(rounds, stage.variants(), step));
  } finally {
    await stage.end();
  }
}

class Stage {
  private load: Child<LoadCommands>;
  private process: PulsekeepProcess;
  private readonly children: { end(): Promise<void> }[] = [];
  private sent = 0;
  private nextAccount = messageAccounts;

  constructor(private readonly seconds: number) {}

  async open(accounts: number): Promise<void> {
    const upstream = this.kept(await Child.start<UpstreamCommands>('load/upstream.process.js', cores.driver));
    const { port } = await upstream.ask('listen');
    await upstream.ask('offer', pages);
    this.load = this.kept(await Child.start<LoadCommands>('load/load.process.js', cores.driver));
    this.process = this.kept(await PulsekeepProcess.start(accounts, port));
  }

  variants(): Variant<string>[] {
    return [
      { name: idle, run: async () => latencies(await this.paced()) },
      { name: pulling, run: () => this.pacedWhilePulling() },
      { name: together, run: () => this.allAtOnce() },
    ];
  }

  async end(): Promise<void> {
    for (const child of this.children.reverse()) await child.end();
  }

  private async pacedWhilePulling(): Promise<Record<string, number>> {
    const { last } = this.process.row<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM sync_tasks');
    const window = { start: firstTime, end: timeOf(pages.size * pages.count) };
    for (let wanted = this.seconds * pulledPerSecond; wanted > 0; wanted--) {
      await this.process.requestSync(this.nextAccount++, window);
    }
    const result = await this.paced();
    const messagesEnd = result.startedAt + result.seconds * 1000;
    await this.process.until(`SELECT 1 FROM sync_tasks WHERE status IN ('pending', 'running') LIMIT 1`, 120);
    const { end } = this.process.row<{ end: number }>(
      `SELECT max(finished_at) AS end FROM sync_tasks WHERE id > ${last}`,
    );
    const share = Math.min(1, Math.max(0, (end - result.startedAt) / (messagesEnd - result.startedAt)));
    return { ...latencies(result), share };
  }

  private async allAtOnce(): Promise<Record<string, number>> {
    await longestTurn(this.process.port);
    const ended = new AbortController();
    const reading = this.readOn(ended.signal);
    const result = await this.pacedWhilePulling();
    ended.abort();
    return { ...result, reads: await reading, turn: await longestTurn(this.process.port) };
  }

  /** One after another; answers how many. */
  private async readOn(signal: AbortSignal): Promise<number> {
    let count = 0;
    for (; !signal.aborted; count++) await ask(this.process.port, asked[count % asked.length] as string);
    return count;
  }

  private async paced(): Promise<LoadResult> {
    const count = this.seconds * rate;
    const deliveries = { path: '/webhooks', label: 'paced', accounts: messageAccounts, first: this.sent, count };
    this.sent += count;
    const result = await this.load.ask('paced', { port: this.process.port, connections, deliveries, rate });
    if (result.refused > 0) throw new Error(`${result.refused} messages were refused.`);
    await this.process.untilAllProcessed(120);
    return result;
  }

  private kept<C extends { end(): Promise<void> }>(child: C): C {
    this.children.push(child);
    return child;
  }
}

function latencies({ p50, p99 }: LoadResult): Record<string, number> {
  return { p50, p99 };
}

function latencyFigures(series: Series<string>): Figure[] {
  const of = (name: string, key: string): readonly number[] => valuesOf(series, name, key);
  const unit = 'ms';
  const share = median(of(pulling, 'share'));
  const note = `The backfill ran for ${(share * 100).toFixed(0)} % of the time measured.`;
  return [
    figureOf({ name: 'webhook p50, idle', unit, values: of(idle, 'p50') }),
    figureOf({ name: 'webhook p99, idle', unit, values: of(idle, 'p99') }),
    figureOf({
      name: 'webhook p50, backfill',
      unit,
      values: of(pulling, 'p50'),
      baseline: { name: 'p50, idle', values: of(idle, 'p50') },
    }),
    figureOf({
      name: 'webhook p99, backfill',
      unit,
      values: of(pulling, 'p99'),
      baseline: { name: 'p99, idle', values: of(idle, 'p99') },
      goal: { of: 'ratio', atMost: 1.5 },
      note,
    }),
    figureOf({
      name: 'webhook p99, backfill (ms)',
      unit,
      values: of(pulling, 'p99'),
      goal: { of: 'value', atMost: 15 },
    }),
    figureOf({ name: 'webhook p99, all at once', unit, values: of(together, 'p99') }),
    figureOf({
      name: 'longest turn of the loop, all at once',
      unit,
      values: of(together, 'turn'),
      goal: { of: 'value', atMost: MOST_TURN_MS },
      note: `${median(of(together, 'reads'))} reads beside it, exports of 50,000 samples among them`,
    }),
  ];
}
