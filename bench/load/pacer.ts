import { percentile } from '../rounds.js';
import { Connection } from './connection.js';

export interface LoadResult {
  /** Epoch milliseconds of the first request. */
  readonly startedAt: number;
  readonly seconds: number;
  readonly accepted: number;
  readonly refused: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Opens this many connections to a port, and closes them after use. */
export async function withConnections<T>(
  target: { readonly port: number; readonly connections: number },
  use: (connections: Connection[]) => Promise<T>,
): Promise<T> {
  const connections = await Promise.all(Array.from({ length: target.connections }, () => Connection.open(target.port)));
  try {
    return await use(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

export class Tally {
  private readonly startedAt = Date.now();
  private readonly begun = performance.now();
  private readonly latencies: Float64Array;
  private answers = 0;
  private accepted = 0;

  constructor(expected: number) {
    this.latencies = new Float64Array(expected);
  }

  get complete(): boolean {
    return this.answers === this.latencies.length;
  }

  exchange(connection: Connection, request: Buffer, due: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const answered = (status: number): void => {
        this.latencies[this.answers++] = performance.now() - due;
        if (status >= 200 && status < 300) this.accepted++;
        resolve();
      };
      connection.send(request, answered, reject);
    });
  }

  result(): LoadResult {
    const seconds = (performance.now() - this.begun) / 1000;
    const sorted = this.latencies.sort();
    const { startedAt, accepted } = this;
    const refused = this.answers - accepted;
    return { startedAt, seconds, accepted, refused, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
  }
}

/**
 * Sends requests at random instants at a given rate. Latency is measured from the turn in which a request was due, so
 * that it includes the wait for a free connection.
 */
export class Pacer {
  private readonly tally: Tally;
  private readonly free: Connection[];
  private readonly waiting: { request: Buffer; due: number }[] = [];
  private next = 0;
  private nextDue = performance.now();
  private random = 1;

  constructor(
    connections: Connection[],
    private readonly requests: readonly Buffer[],
    private readonly rate: number,
    /** Called in the turn in which the response arrived. */
    private readonly answered: (request: Buffer) => void = () => undefined,
  ) {
    this.tally = new Tally(requests.length);
    this.free = [...connections];
  }

  run(): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        this.release(performance.now(), reject);
        if (this.tally.complete) resolve(this.tally.result());
        else setTimeout(turn, 1);
      };
      turn();
    });
  }

  private release(now: number, failed: (error: Error) => void): void {
    while (this.next < this.requests.length && this.nextDue <= now) {
      this.waiting.push({ request: this.requests[this.next++] as Buffer, due: now });
      this.nextDue += (-Math.log(this.uniform()) * 1000) / this.rate;
    }
    this.dispatch(failed);
  }

  private dispatch(failed: (error: Error) => void): void {
    while (this.waiting.length > 0 && this.free.length > 0) {
      // The connection that was idle the longest, because the server closes idle ones.
      const connection = this.free.shift() as Connection;
      const { request, due } = this.waiting.shift() as { request: Buffer; due: number };
      this.tally.exchange(connection, request, due).then(() => {
        this.answered(request);
        this.free.push(connection);
        this.dispatch(failed);
      }, failed);
    }
  }

  /** The same sequence in every run; never 0. */
  private uniform(): number {
    this.random = (this.random * 48_271) % 2_147_483_647;
    return this.random / 2_147_483_647;
  }
}
