import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, type JWK } from 'jose';

export interface KeyPair {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

/** The customer's identity provider: serves a document at each path that has one, and the key set at all others. */
export class KeySetServer {
  keys: JWK[] = [];
  readonly documents: Record<string, object | null> = {};
  status = 200;
  breaksOff = false;
  padding = '';
  readonly paths: string[] = [];
  private server: Server | undefined;

  get fetches(): number {
    return this.paths.length;
  }

  /** Returns its origin. */
  async start(): Promise<string> {
    const server = createServer(({ url = '/' }, response) => {
      this.paths.push(url);
      response.writeHead(this.status, { 'content-type': 'application/json' });
      const found = url in this.documents ? this.documents[url] : { keys: this.keys, padding: this.padding };
      const text = JSON.stringify(found);
      if (this.breaksOff) response.write(text.slice(0, 20), () => response.destroy());
      else response.end(text);
    });
    this.server = server;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async publish(...pairs: [string | undefined, string, KeyPair][]): Promise<void> {
    this.keys = await Promise.all(
      pairs.map(async ([kid, alg, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        alg,
        ...(kid ? { kid } : {}),
      })),
    );
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((closed) => this.server?.close(closed));
  }
}
