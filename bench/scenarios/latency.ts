import { type Figure, figureOf, type Plan } from '../figures.js';
import type { LoadCommands, LoadResult } from '../load/load.process.js';
import { eventResource, firstTime, timeOf } from '../load/points.js';
import type { UpstreamCommands } from '../load/upstream.process.js';
import { Child, cores } from '../process/child.js';
import { PulsekeepProcess } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';
import { interleaved, median, type Numbers, type Side } from '../rounds.js';

const rate = 1_000;
const connections = 32;
const messageAccounts = 200;
const pages = { size: 5_000, count: 10 };
/** Accounts to pull per second of the run: more than can be pulled. */
const pulledPerSecond = 10;
/** Few rounds, because they are long. */
const mostRounds = 3;

const idle = 'nothing else';
const pulling = 'beside a backfill';
const together = 'beside a backfill and readers';

/** Requests that operators keep sending during the run: about the first pulled account, and about the system. */
const asked = [
  `/admin/v1/accounts/bench-${messageAccounts}/export`,
  `/admin/v1/accounts/bench-${messageAccounts}/records/${eventResource}?limit=500`,
  `/admin/v1/accounts/bench-${messageAccounts}/timeline?limit=500`,
  `/admin/v1/accounts/bench-${messageAccounts}/coverage?first_day=2024-01-01&last_day=2024-12-31`,
  '/admin/v1/messages?limit=500',
  '/admin/v1/overview',
];

/**
 * Latency of the 204 at 1,000 messages per second, all of which are also applied, and the longest turns of the event
 * loop.
 */
export function latency({ scale, step, ...plan }: Plan): Promise<Figure[]> {
  const rounds = Math.min(plan.rounds, mostRounds);
  const seconds = Math.max(1, Math.round(8 * scale));
  return staged(async (keep) => {
    const upstream = keep(await Child.start<UpstreamCommands>('load/upstream.process.js', cores.driver));
    const { port } = await upstream.ask('listen');
    await upstream.ask('offer', pages);
    const load = keep(await Child.start<LoadCommands>('load/load.process.js', cores.driver));
    const accounts = messageAccounts + (rounds + 1) * 2 * seconds * pulledPerSecond;
    const stage = new Stage(seconds, load, keep(await PulsekeepProcess.start(accounts, port)));
    const of = await interleaved(rounds, stage.sides(), step);
    const share = Math.round(median(of(pulling, 'share')) * 100);
    const p99 = { name: 'webhook p99, nothing else', values: of(idle, 'p99') };
    const unit = 'ms';
    return [
      figureOf({ ...p99, unit }),
      figureOf({
        name: 'webhook p99, beside a backfill',
        unit,
        values: of(pulling, 'p99'),
        baseline: p99,
        note: `The backfill ran for ${share} % of the time measured.`,
      }),
      figureOf({ name: 'webhook p99, readers as well', unit, values: of(together, 'p99'), baseline: p99 }),
      figureOf({
        name: 'longest turn of the event loop',
        unit,
        values: of(together, 'turn'),
        note: `${median(of(together, 'reads'))} reads beside it, exports of 50,000 samples among them`,
      }),
    ];
  });
}

class Stage {
  private sent = 0;
  private nextAccount = messageAccounts;

  constructor(
    private readonly seconds: number,
    private readonly load: Child<LoadCommands>,
    private readonly pulsekeep: PulsekeepProcess,
  ) {}

  sides(): Side[] {
    return [
      { name: idle, run: async () => ({ p99: (await this.paced()).p99 }) },
      { name: pulling, run: () => this.pacedWhilePulling() },
      { name: together, run: () => this.allAtOnce() },
    ];
  }

  private async pacedWhilePulling(): Promise<Numbers> {
    const last = this.pulsekeep.lastTask();
    const window = { start: firstTime, end: timeOf(pages.size * pages.count) };
    for (let wanted = this.seconds * pulledPerSecond; wanted > 0; wanted--) {
      await this.pulsekeep.requestSync(this.nextAccount++, window);
    }
    const { startedAt, seconds, p99 } = await this.paced();
    await this.pulsekeep.untilAllPulled(120);
    const { end } = this.pulsekeep.row<{ end: number }>(
      `SELECT max(finished_at) AS end FROM sync_tasks WHERE id > ${last}`,
    );
    return { p99, share: Math.min(1, Math.max(0, (end - startedAt) / (seconds * 1_000))) };
  }

  private async allAtOnce(): Promise<Numbers> {
    await this.pulsekeep.longestTurn();
    const ended = new AbortController();
    const reading = this.readOn(ended.signal);
    const numbers = await this.pacedWhilePulling();
    ended.abort();
    return { ...numbers, reads: await reading, turn: await this.pulsekeep.longestTurn() };
  }

  /** Reads sequentially; returns the number of reads. */
  private async readOn(signal: AbortSignal): Promise<number> {
    let count = 0;
    for (; !signal.aborted; count++) await this.pulsekeep.ask(asked[count % asked.length] as string);
    return count;
  }

  private async paced(): Promise<LoadResult> {
    const count = this.seconds * rate;
    const deliveries = { path: '/webhooks', label: 'paced', accounts: messageAccounts, first: this.sent, count };
    this.sent += count;
    const result = await this.load.ask('paced', { port: this.pulsekeep.port, connections, deliveries, rate });
    if (result.refused > 0) throw new Error(`${result.refused} messages were refused.`);
    await this.pulsekeep.untilAllProcessed(120);
    return result;
  }
}
