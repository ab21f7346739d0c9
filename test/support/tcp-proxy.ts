import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Secret } from '../../src/platform/config/secret.js';
import type { TestDatabase } from './test-store.js';

/** Direction of the bytes: to the server, or from it. */
export type Direction = 'to_server' | 'to_client';

const directions: readonly Direction[] = ['to_server', 'to_client'];

/**
 * A TCP proxy for one server that simulates network faults. Each fault lasts until `mend`, and faults can be combined.
 * `reset` ends all open connections, `refuse` all new ones, `cut` does both. `silence` is a black hole: connections
 * stay open, and neither bytes nor their end get through until `mend` delivers them. `loseOpen` silences the currently
 * open connections for good and lets new ones through, like a firewall that has forgotten them. `slow` delays every
 * chunk.
 */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private readonly silent = new Set<Direction>();
  private isRefusing = false;
  private delayMs = 0;

  private constructor(
    private readonly server: Server,
    private readonly host: string,
    private readonly targetPort: number,
  ) {}

  /** Listens on a free port of 127.0.0.1. */
  static async to(host: string, port: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new TcpProxy(server, host, port);
    server.on('connection', (near) => proxy.accept(near));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Number of open connections, including silent ones. */
  get open(): number {
    return this.links.size;
  }

  reset(): void {
    for (const link of this.links) link.reset();
  }

  refuse(): void {
    this.isRefusing = true;
  }

  cut(): void {
    this.refuse();
    this.reset();
  }

  /** Silences one direction, or both. */
  silence(only?: Direction): void {
    for (const direction of only ? [only] : directions) this.silent.add(direction);
  }

  loseOpen(): void {
    for (const link of this.links) link.isLost = true;
  }

  slow(ms: number): void {
    this.delayMs = ms;
  }

  mend(): void {
    this.isRefusing = false;
    this.delayMs = 0;
    this.silent.clear();
    for (const link of this.links) link.changed();
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  private accept(near: Socket): void {
    if (this.isRefusing) {
      near.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const far = connect({ host: this.host, port: this.targetPort, allowHalfOpen: true });
    const link = new Link(near, far, (direction) => this.silent.has(direction));
    this.links.add(link);
    void Promise.all([this.carry(link, 'to_server'), this.carry(link, 'to_client')]).then(() => {
      this.links.delete(link);
    });
  }

  /** Ends with the connection. The end of one side reaches the other in order with its bytes. */
  private async carry(link: Link, direction: Direction): Promise<void> {
    const { from, to } = link.ends(direction);
    try {
      for await (const chunk of from) {
        if (this.delayMs > 0) await delay(this.delayMs);
        await link.passes(direction);
        if (!to.write(chunk as Buffer)) await once(to, 'drain', { signal: link.isReset });
      }
      await link.passes(direction);
      to.end();
    } catch {
      await link.passes(direction);
      link.reset();
    }
  }
}

/** The two sockets of one connection. */
class Link {
  /** Silent forever. */
  isLost = false;
  private readonly resetter = new AbortController();
  private waiting: (() => void)[] = [];

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    private readonly isSilent: (direction: Direction) => boolean,
  ) {
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', () => undefined);
  }

  get isReset(): AbortSignal {
    return this.resetter.signal;
  }

  ends(direction: Direction): { from: Socket; to: Socket } {
    return direction === 'to_server' ? { from: this.near, to: this.far } : { from: this.far, to: this.near };
  }

  /** Resolves once a byte may pass, or the connection was reset. */
  async passes(direction: Direction): Promise<void> {
    while (!this.isReset.aborted && (this.isLost || this.isSilent(direction))) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Called when the conditions for passing bytes have changed. */
  changed(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }

  reset(): void {
    this.resetter.abort();
    this.near.resetAndDestroy();
    this.far.resetAndDestroy();
    this.changed();
  }
}

/** A PostgreSQL database that is reached through a proxy. */
export async function behindProxy(database: TestDatabase): Promise<{ network: TcpProxy; through: TestDatabase }> {
  if (database.config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
  const url = new URL(database.config.url.reveal());
  const network = await TcpProxy.to(url.hostname, Number(url.port || 5432));
  url.host = `127.0.0.1:${network.port}`;
  return { network, through: { ...database, config: { kind: 'postgres', url: new Secret(url.href) } } };
}
