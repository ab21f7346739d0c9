import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from './certificate.js';

/** Speaks TLS in front of a broker of this machine that does not. */
export class TlsFront {
  private constructor(private readonly server: Server) {}

  /** `greets`: the broker speaks first and in the clear, and then both change to TLS, as with NATS. */
  static async of(port: number, certificate: Certificate, greets = false): Promise<TlsFront> {
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      if (greets) far.once('data', (greeting) => near.write(withTls(greeting), () => joined(near, far, certificate)));
      else joined(near, far, certificate);
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

function joined(near: Socket, far: Socket, certificate: Certificate): void {
  const secure = new TLSSocket(near, { isServer: true, secureContext: createSecureContext({ ...certificate }) });
  secure.on('error', () => far.destroy());
  secure.on('close', () => far.destroy());
  secure.pipe(far).pipe(secure);
}

/** The greeting of a NATS server (`INFO {...}`) that asks for TLS. */
function withTls(greeting: Buffer): string {
  const [, json = ''] = /^INFO (.*)\r\n/s.exec(greeting.toString()) ?? [];
  return `INFO ${JSON.stringify({ ...(JSON.parse(json) as object), tls_required: true })}\r\n`;
}
