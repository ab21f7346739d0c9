import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between the service and a broker, so that tests can cut and pause the connection. */
export class BrokerProxy {
  private readonly sockets = new Set<Socket>();
  /** False: refuses connections. */
  isUp = true;
  /** Connections are accepted, but nothing passes. */
  isPaused = false;

  private constructor(private readonly server: Server) {}

  static async start(port: number): Promise<BrokerProxy> {
    const server = createServer();
    const proxy = new BrokerProxy(server);
    server.on('connection', (near) => proxy.join(near, port));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Cuts all connections, as a broker that dies. */
  kill(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.kill();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, port: number): void {
    if (!this.isUp) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes) => this.isPaused || to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
