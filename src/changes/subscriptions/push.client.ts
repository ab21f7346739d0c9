import { setMaxListeners } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PushConfig } from '../../platform/config/config.js';
import { version } from '../../platform/config/versions.js';
import { Clock } from '../../platform/platform/clock.js';
import { diedOnKeptConnection, KeptConnections } from '../../platform/platform/kept-connections.js';
import { NetworkGate } from '../../platform/platform/network-gate.js';
import { MAX_FREE_SOCKETS, PUSH_TIMEOUT_MS } from '../feed/tuning.js';
import { AddressGuard } from './address-guard.js';
import { errorOfFailure, errorOfStatus, type PushAnswer, retryAfterOf } from './push-answer.js';

export interface Push {
  readonly url: string;
  /** JSON. */
  readonly body: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Maximum size of a response body: only its status matters. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Sends each push as a POST to a permitted address, over kept-alive connections, which are dropped when a push fails,
 * without a proxy or redirects. Keeps only the status and `Retry-After` of a response.
 */
@Injectable()
export class PushClient implements OnApplicationShutdown {
  readonly guard: AddressGuard;
  /** For tests. */
  timeoutMs = PUSH_TIMEOUT_MS;
  private readonly connections = new KeptConnections(MAX_FREE_SOCKETS);

  constructor(
    config: PushConfig,
    private readonly gate: NetworkGate,
    private readonly clock: Clock,
  ) {
    this.guard = new AddressGuard(config.allowedNetworks);
  }

  onApplicationShutdown(): void {
    this.connections.close();
  }

  /** Rejects only if the signal aborts. */
  async send(push: Push, signal?: AbortSignal): Promise<PushAnswer> {
    this.gate.assertOpen('A push');
    // Many pushes share the signal of their worker; without this, Node warns about a listener leak.
    if (signal) setMaxListeners(0, signal);
    const startedAt = this.clock.monotonic();
    const ended = (answer: Omit<PushAnswer, 'durationMs'>): PushAnswer => {
      return { ...answer, durationMs: Math.round(this.clock.monotonic() - startedAt) };
    };
    const target = new URL(push.url);
    if (!this.guard.mayConnect(target)) return ended({ error: 'address_refused', status: null });
    try {
      const answer = await this.exchange(target, push, signal);
      if (answer.error !== null) this.connections.drop(target);
      return ended(answer);
    } catch (error) {
      this.connections.drop(target);
      signal?.throwIfAborted();
      return ended({ error: error instanceof TimedOut ? 'timeout' : errorOfFailure(error), status: null });
    }
  }

  private async exchange(target: URL, push: Push, signal?: AbortSignal): Promise<Omit<PushAnswer, 'durationMs'>> {
    const { status, retryAfter } = await this.answerTo(target, push, signal).catch((error: unknown) => {
      // The receiver closed an idle connection just as it was reused.
      if (!(error instanceof StaleConnection)) throw error;
      this.connections.drop(target);
      return this.answerTo(target, push, signal);
    });
    const error = errorOfStatus(status);
    return { error, status, retryAfterMs: error === null ? undefined : retryAfterOf(retryAfter, this.clock.now()) };
  }

  private answerTo(target: URL, { body, contentType, headers }: Push, signal?: AbortSignal): Promise<Answer> {
    const isSecure = target.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const request: ClientRequest = (isSecure ? httpsRequest : httpRequest)(target, {
        method: 'POST',
        agent: this.connections.agentFor(target),
        lookup: this.guard.lookupFor(isSecure),
        headers: {
          ...headers,
          'content-type': contentType,
          'content-length': Buffer.byteLength(body),
          'user-agent': `Pulsekeep/${version}`,
        },
        ...(signal && { signal }),
      });
      const timer = setTimeout(() => request.destroy(new TimedOut()), this.timeoutMs);
      let answer: Answer | null = null;
      let failure: Error | null = null;
      const answered = (response: IncomingMessage): void => {
        answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
      };
      request.once('response', (response) => {
        answered(response);
        drain(response);
      });
      request.once('upgrade', (response, socket) => {
        answered(response);
        socket.destroy();
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        failure = diedOnKeptConnection(request, error) ? new StaleConnection() : error;
      });
      // Once a status has arrived, it is the result, however the body ends.
      request.once('close', () => {
        clearTimeout(timer);
        if (answer) resolve(answer);
        else reject(failure ?? new Error('closed without a response'));
      });
      request.end(body);
    });
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

class TimedOut extends Error {}
class StaleConnection extends Error {}

/** Reads the body to its end, so that the connection can be reused; closes the connection if the body is too long. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
}
