import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { Certificate } from './certificate.js';

/** Ends TLS in front of a server of this machine, which speaks without it. */
export class TlsFront {
  private constructor(private readonly server: Server) {}

  static async of(port: number, certificate: Certificate): Promise<TlsFront> {
    const server = createServer({ ...certificate }, (near) => {
      const far = connect(port, '127.0.0.1');
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TlsFront(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}
