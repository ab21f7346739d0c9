import type { LoadCommands } from '../load/load.process.js';
import type { UpstreamCommands } from '../load/upstream.process.js';
import { Child, cores } from '../process/child.js';
import { percentile } from '../rounds.js';
import { PulsekeepProcess } from './pulsekeep.js';

const connections = 16;
const accounts = 200;
const rate = 100;

/** Pulsekeep, an upstream that never answers, and somebody who sends messages of users who are known here. */
export class GoodMessages {
  private sent = 0;

  private constructor(
    readonly load: Child<LoadCommands>,
    readonly process: PulsekeepProcess,
    private readonly upstream: Child<UpstreamCommands>,
    private readonly seconds: number,
  ) {}

  static async start(seconds: number): Promise<GoodMessages> {
    const upstream = await Child.start<UpstreamCommands>('load/upstream.process.js', cores.driver);
    const { port } = await upstream.ask('listen');
    await upstream.ask('hang');
    const load = await Child.start<LoadCommands>('load/load.process.js', cores.driver);
    return new GoodMessages(load, await PulsekeepProcess.start(accounts, port), upstream, seconds);
  }

  /** Sends for the time of a round; answers milliseconds from the sending to the 204, and from the receipt to done. */
  async measure(): Promise<{ answered: number; done: number }> {
    const label = `good${this.sent}`;
    const count = this.seconds * rate;
    const deliveries = { path: '/webhooks', label, accounts, first: this.sent, count };
    this.sent += count;
    const { p99, refused } = await this.load.ask('paced', { port: this.process.port, connections, deliveries, rate });
    if (refused > 0) throw new Error(`${refused} messages were refused.`);
    await this.process.untilNoMessage(`${mine(label)} AND status <> 'done'`, 300);
    const times = this.process.numbers(`SELECT finished_at - received_at AS ms FROM messages WHERE ${mine(label)}`);
    return {
      answered: p99,
      done: percentile(
        times.sort((a, b) => a - b),
        0.99,
      ),
    };
  }

  async end(): Promise<void> {
    await this.process.end();
    await this.load.end();
    await this.upstream.end();
  }
}

function mine(label: string): string {
  return `message_id LIKE 'msg\\_${label}\\_%' ESCAPE '\\'`;
}
