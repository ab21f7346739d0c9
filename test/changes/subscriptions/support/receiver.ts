import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: { type: string; timestamp: string; data: Record<string, unknown>; text?: string };
}

/** An endpoint that keeps what it gets and answers as a test demands: 204 unless `answer` does otherwise. */
export class Receiver {
  readonly received: Received[] = [];
  /** Returns true if it has answered, or never will. */
  answer: (push: Received, response: ServerResponse) => boolean | void = () => false;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.take(request, response));
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  get ids(): string[] {
    return this.received.map(({ id }) => id);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const push = { id: String(headers['webhook-id']), headers, text, body: JSON.parse(text) };
    this.received.push(push);
    if (this.answer(push, response) !== true) response.writeHead(204).end();
  }
}
