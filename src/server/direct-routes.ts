import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { toProblem } from '../http/problem.filter.js';
import { requestIdHeader, requestIdOf } from '../http/request-id.js';
import { AppError, type ErrorCode } from '../platform/errors.js';
import { traceOf, withinTrace } from '../platform/trace.js';
import { type BodyRoom, bodyTooLarge, type HeldBody } from './body-room.js';
import type { RequestMetrics, RouteMetrics } from './request-metrics.js';

/*
 * Routes that do not pass through Fastify: what surrounds every other route costs more than the whole of such a one
 * (docs/decisions/0019-accepting-webhooks.md). What a caller gets of it everywhere is done here as well: an id and a
 * trace, `Expect: 100-continue`, room for the body, problem details, metrics, and the end of connections at a stop.
 */

/** A POST route whose answer is 204 or a problem. */
export interface DirectRoute {
  readonly path: string;
  /** Answered 204 once it resolves, and as a problem when it rejects. */
  handle(request: DirectRequest): Promise<void>;
  /** Hears of every problem that was answered. */
  refused(code: ErrorCode, requestId: string, error: unknown): void;
}

/** What the server does around direct routes. */
export interface Surroundings {
  readonly room: BodyRoom;
  readonly metrics: RequestMetrics;
  isStopping(): boolean;
}

interface Served {
  readonly route: DirectRoute;
  readonly around: Surroundings;
  readonly metrics: RouteMetrics;
}

/** The direct routes of a server, by path. */
export class DirectRoutes {
  private readonly routes = new Map<string, Served>();

  /** What is served here of an address. */
  methodsOf(url: string): readonly string[] {
    return this.routes.has(pathOf(url)) ? ['POST'] : [];
  }

  /** Call before the server listens. */
  add(route: DirectRoute, around: Surroundings): void {
    this.routes.set(route.path, { route, around, metrics: around.metrics.of('POST', route.path) });
  }

  /** Takes the requests for these routes and leaves the others to `handler`. */
  before(handler: RequestListener): RequestListener {
    return (request, response) => {
      const served = request.method === 'POST' ? this.routes.get(pathOf(request.url ?? '')) : undefined;
      if (served === undefined) handler(request, response);
      else serve(served.route, new DirectRequest(request, response, served));
    };
  }
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function serve(route: DirectRoute, request: DirectRequest): void {
  const trace = traceOf(request.headers['traceparent']);
  const handled = trace === null ? route.handle(request) : withinTrace(trace, () => route.handle(request));
  handled.then(
    () => request.answer(204, {}),
    (error: unknown) => {
      if (request.isGone) return;
      const { status, headers, body } = toProblem(error, request.id);
      route.refused(body.code, request.id, error);
      request.answer(status, headers, JSON.stringify(body));
    },
  );
}

/** A request of a direct route, and its answer. */
export class DirectRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  private readonly around: Surroundings;
  private readonly metrics: RouteMetrics;
  private readonly begun = performance.now();
  private readonly atEnd: (() => void)[] = [];
  /** The caller sends its body only when asked to. */
  private waitsToSend: boolean;
  private isCutOff = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    { around, metrics }: Served,
  ) {
    this.around = around;
    this.metrics = metrics;
    this.id = requestIdOf(request);
    this.headers = request.headers;
    this.waitsToSend = request.headers.expect !== undefined && request.httpVersion !== '1.0';
    response.once('close', () => this.ended());
  }

  /** The caller has gone away, or its answer has left. */
  get isGone(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Calls back once the answer has left or the caller is gone; at once if that is so already. */
  whenEnded(callback: () => void): void {
    if (this.isGone) callback();
    else this.atEnd.push(callback);
  }

  /**
   * The whole body, read only from now on. Rejects with `payload_too_large` beyond `limit` bytes, with `busy` when
   * there is no room for it and with `caller_left` when its sender goes away.
   */
  body(limit: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const held = this.holdRoom(reject);
      const chunks: Buffer[] = [];
      this.request.on('data', (chunk: Buffer) => {
        this.around.room.take(held, chunk.length);
        if (held.bytes > limit) reject(bodyTooLarge());
        else chunks.push(chunk);
      });
      this.request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
      if (this.waitsToSend) this.response.writeContinue();
      this.waitsToSend = false;
    });
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body?: string): void {
    if (this.isGone) return;
    const fields = [...Object.entries(headers).flat(), 'cache-control', 'no-store', requestIdHeader, this.id];
    if (this.endsConnection()) fields.push('connection', 'close');
    this.response.writeHead(status, fields).end(body);
  }

  /** Where a body may still come, nothing that follows it could be told apart from it. */
  private endsConnection(): boolean {
    return this.waitsToSend || this.isCutOff || this.around.isStopping();
  }

  private holdRoom(reject: (error: AppError) => void): HeldBody {
    const { room } = this.around;
    const held = room.enter(this.request, (error) => {
      this.isCutOff = true;
      this.response.once('finish', () => this.request.destroy());
      reject(error);
    });
    this.whenEnded(() => {
      room.giveBack(held);
      if (!this.request.complete) reject(new AppError('caller_left', 'The caller has gone away.'));
    });
    return held;
  }

  private ended(): void {
    for (const callback of this.atEnd) callback();
    if (!this.response.writableFinished) return;
    const seconds = (performance.now() - this.begun) / 1_000;
    this.metrics.answered(this.response.statusCode, seconds);
  }
}
