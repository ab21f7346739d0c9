import { Child, cores } from '../process/child.js';
import type { LoadCommands, LoadResult } from './load.process.js';

const connections = 64;

/** Sends new signed messages over 64 connections, each of which sends its next message right after a response. */
export class Bursts {
  /** Next message number per side, so that all sides store the same messages and do the same work. */
  private readonly sent = new Map<string, number>();

  private constructor(
    private readonly load: Child<LoadCommands>,
    private readonly accounts: number,
  ) {}

  static async start(accounts: number): Promise<Bursts> {
    return new Bursts(await Child.start<LoadCommands>('load/load.process.js', cores.driver), accounts);
  }

  /** Number of messages sent to a side. */
  sentTo(side: string): number {
    return this.sent.get(side) ?? 0;
  }

  send(side: string, port: number, count: number): Promise<LoadResult> {
    const first = this.sentTo(side);
    this.sent.set(side, first + count);
    const deliveries = { path: '/webhooks', label: 'bench', accounts: this.accounts, first, count };
    return this.load.ask('burst', { port, connections, deliveries });
  }

  end(): Promise<void> {
    return this.load.end();
  }
}

/** Throws if anything was refused, because the rate would be meaningless. */
export function rateOf({ accepted, refused, seconds }: LoadResult): number {
  if (refused > 0) throw new Error(`${refused} messages were refused.`);
  return accepted / seconds;
}

/** Refused messages are not counted; the ordinary design refuses some. */
export function ordinaryRate({ accepted, refused, seconds }: LoadResult): { rate: number; refused: number } {
  return { rate: accepted / seconds, refused: refused / (accepted + refused) };
}

export function noteOfRefused(shares: readonly number[]): string {
  const most = Math.round(Math.max(...shares) * 100);
  return `The ordinary design answered up to ${most} % of the messages with an error; only the others count.`;
}
