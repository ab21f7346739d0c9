import { connect, createServer, type Socket } from 'node:net';

/** A way to a server on which every connection can be cut, and new ones refused, until it is mended. */
export class Cuttable {
  private isCut = false;

  private constructor(
    /** Of the way. */
    readonly port: number,
    private readonly sockets: Set<Socket>,
    private readonly end: () => void,
    watch: (isCut: () => boolean) => void,
  ) {
    watch(() => this.isCut);
  }

  static async to(host: string, port: number): Promise<Cuttable> {
    const sockets = new Set<Socket>();
    let isCut = (): boolean => false;
    const server = createServer((near) => {
      if (isCut()) return near.destroy();
      const far = connect(port, host);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The way has no port.');
    return new Cuttable(
      address.port,
      sockets,
      () => server.close(),
      (given) => (isCut = given),
    );
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.end();
  }
}
