import type { Readable } from 'node:stream';
import type { Clock } from '../../platform/platform/clock.js';
import { WireShapeError } from '../../platform/platform/json-reader.js';
import type { Download, UpstreamCall } from './call.js';
import { classify } from './error-shapes.js';
import type { Incoming } from './http-exchange.js';
import { readRetryAfter } from './retry.js';
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.js';

/**
 * A redirect that was not followed, or any other unexpected status, violates the contract
 * (docs/upstream/errors-and-limits.md#declared-statuses).
 */
function kindOf(status: number): UpstreamErrorKind {
  if (status === 429) return 'throttled';
  if (status === 408 || status >= 500) return 'unavailable';
  return status >= 400 ? 'rejected' : 'contract';
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Turns a response into a value or throws `UpstreamError`. */
export class ResponseReader {
  constructor(
    private readonly clock: Clock,
    private readonly unreadable: (operation: string, field: string) => void,
  ) {}

  json<T>(call: UpstreamCall<T>, answer: Incoming<string>): T {
    const { operation } = call.route;
    const { status, body } = answer;
    if (!isSuccess(status)) throw this.refusal(operation, answer, body);
    try {
      const parsed = body === '' ? undefined : (JSON.parse(body) as unknown);
      return call.read(parsed, (field) => this.unreadable(operation, field));
    } catch (error) {
      // The parser's own message quotes the body.
      if (error instanceof SyntaxError) {
        throw new UpstreamError({ kind: 'contract', reason: 'not_json', operation, status });
      }
      if (!(error instanceof WireShapeError)) throw error;
      throw new UpstreamError({ kind: 'contract', reason: 'missing_field', operation, status, field: error.field });
    }
  }

  pdf(operation: string, answer: Incoming<Readable | string>): Download {
    const { status, body } = answer;
    if (typeof body === 'string') throw this.refusal(operation, answer, body);
    const packed = (answer.header('content-encoding') ?? 'identity') !== 'identity';
    if (packed || !answer.header('content-type')?.toLowerCase().startsWith('application/pdf')) {
      body.destroy();
      throw new UpstreamError({ kind: 'contract', reason: 'not_pdf', operation, status });
    }
    const length = Number(answer.header('content-length') ?? Number.NaN);
    return Number.isSafeInteger(length) ? { stream: body, contentLength: length } : { stream: body };
  }

  private refusal(operation: string, answer: Incoming<unknown>, body: string): UpstreamError {
    const { status } = answer;
    const retryAfterMs = this.retryAfter(answer);
    return new UpstreamError({
      kind: kindOf(status),
      reason: 'status',
      operation,
      status,
      detail: classify(status, answer.header('content-type'), body),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }

  /** Many services send a reset time with every response, so it is used only on a 429. */
  private retryAfter(answer: Incoming<unknown>): number | undefined {
    if (kindOf(answer.status) !== 'throttled' && kindOf(answer.status) !== 'unavailable') return undefined;
    const rateLimitReset = answer.status === 429 ? answer.header('x-ratelimit-reset') : undefined;
    const headers = { retryAfter: answer.header('retry-after'), rateLimitReset, date: answer.header('date') };
    return readRetryAfter(headers, this.clock.now());
  }
}
