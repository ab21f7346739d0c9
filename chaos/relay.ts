import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Load balancer for several processes: each connection goes to the next process that accepts it. */
export class Relay {
  private turn = 0;

  private constructor(
    readonly url: string,
    private readonly end: () => void,
  ) {}

  static async before(ports: readonly number[]): Promise<Relay> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      sockets.add(near);
      near.on('error', () => undefined).on('close', () => sockets.delete(near));
      relay.forward(near, ports, ports.length);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new Relay(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return relay;
  }

  close(): void {
    this.end();
  }

  private forward(near: Socket, ports: readonly number[], tries: number): void {
    if (tries === 0) {
      near.destroy();
      return;
    }
    const far = connect(ports[this.turn++ % ports.length] ?? 0, '127.0.0.1');
    const refused = (): void => this.forward(near, ports, tries - 1);
    far.once('error', refused).once('connect', () => {
      far.off('error', refused).on('error', () => near.destroy());
      far.on('close', () => near.destroy());
      near.on('close', () => far.destroy());
      near.pipe(far);
      far.pipe(near);
    });
  }
}
