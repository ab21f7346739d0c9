import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes?: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Request {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[] }[];
}

/** A span as a collector got it. */
export interface CollectedSpan extends Omit<WireSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector of OpenTelemetry: takes traces as JSON over HTTP, and keeps what it got. */
export class Collector {
  /** Bodies. */
  readonly texts: string[] = [];
  readonly paths = new Set<string>();
  /** Status of the next answers. */
  status = 200;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.take(request, response));
  }

  static async start(): Promise<Collector> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Collector(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get spans(): CollectedSpan[] {
    const requests = this.texts.map((text) => JSON.parse(text) as Request);
    const spans = requests.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
    return spans.map(({ attributes = [], ...span }) => {
      const named = attributes.map(({ key, value }): [string, unknown] => [key, Object.values(value)[0]]);
      return { ...span, attributes: Object.fromEntries(named) };
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.paths.add(`${request.method} ${request.url}`);
    if (this.status === 200) this.texts.push(Buffer.concat(chunks).toString());
    response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
  }
}
