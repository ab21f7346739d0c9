import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (response: ServerResponse, request: Received) => void | Promise<void>;

/** A real HTTP server on loopback that returns the scripted responses in order, then repeats the last one. */
export class ScriptedServer {
  readonly received: Received[] = [];
  /** Number of connections that were ever opened. */
  opened = 0;
  private readonly sockets = new Set<Socket>();
  private answers: Answer[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on('connection', (socket) => {
      this.opened += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => scripted.server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  answer(...answers: Answer[]): void {
    this.answers = answers;
  }

  /** The JSON of the last call. */
  get sent(): unknown {
    return JSON.parse(this.last.body) as unknown;
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (!last) throw new Error('nothing was received');
    return last;
  }

  /** Resolves once every connection was closed by the other side. */
  async closedByPeers(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => once(socket, 'close')));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    this.received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (answer) await answer(response, this.last);
    else response.writeHead(501).end();
  }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  };
}

/** Never responds; the connection stays open until one side closes it. */
export const silence: Answer = () => undefined;

export const hangUp: Answer = (response) => {
  response.socket?.destroy();
};
