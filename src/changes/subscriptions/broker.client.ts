import { setMaxListeners } from 'node:events';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LoginRefused } from '../../platform/config/broker-login.js';
import { PushConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { NetworkGate } from '../../platform/platform/network-gate.js';
import { MAX_BROKERS_OPEN, PUSH_TIMEOUT_MS } from '../feed/tuning.js';
import { AddressGuard } from './address-guard.js';
import { openAmqp } from './amqp-channel.js';
import { brokerAddressOf } from './broker-address.js';
import type { BrokerChannel, BrokerMessage } from './broker-channel.js';
import { openNats } from './nats-channel.js';
import { errorOfFailure, type PushAnswer, type PushError } from './push-answer.js';

class TimedOut extends Error {}

interface Connection {
  readonly opening: Promise<BrokerChannel>;
  /** Null until it is open. */
  channel: BrokerChannel | null;
}

/**
 * Publishes pushes to message brokers, over one connection for each URL, which is dropped when a push fails. A push has
 * arrived once the broker has acknowledged it. Only permitted addresses are connected to, as by the client of HTTP.
 */
@Injectable()
export class BrokerClient implements OnApplicationShutdown {
  /** For tests. */
  timeoutMs = PUSH_TIMEOUT_MS;
  private readonly guard: AddressGuard;
  private readonly connections = new Map<string, Connection>();

  constructor(
    private readonly config: PushConfig,
    private readonly gate: NetworkGate,
    private readonly clock: Clock,
  ) {
    this.guard = new AddressGuard(config.allowedNetworks);
  }

  onApplicationShutdown(): void {
    for (const [url, connection] of this.connections) this.drop(url, connection);
  }

  /** Rejects only if the signal aborts. */
  async send(url: string, message: BrokerMessage, signal?: AbortSignal): Promise<PushAnswer> {
    this.gate.assertOpen('A push');
    // Many pushes share the signal of their worker; without this, Node warns about a listener leak.
    if (signal) setMaxListeners(0, signal);
    const startedAt = this.clock.monotonic();
    const ended = (error: PushError | null): PushAnswer => {
      return { error, status: null, durationMs: Math.round(this.clock.monotonic() - startedAt) };
    };
    if (!this.guard.mayConnect(new URL(url))) return ended('address_refused');
    const used = this.connectionTo(url);
    try {
      return ended(await this.inTime(used.opening, (channel) => channel.publish(message), signal));
    } catch (error) {
      this.drop(url, used);
      signal?.throwIfAborted();
      return ended(errorOf(error));
    }
  }

  /** Rejects after the timeout, or if the signal aborts; what comes later is of no use. */
  private inTime<T>(
    opening: Promise<BrokerChannel>,
    work: (channel: BrokerChannel) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => reject(new TimedOut());
      const timer = setTimeout(end, this.timeoutMs);
      signal?.addEventListener('abort', end);
      opening
        .then(work)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
        });
    });
  }

  private connectionTo(url: string): Connection {
    const known = this.connections.get(url);
    if (known && known.channel?.isOpen !== false) return known;
    if (known) this.drop(url, known);
    const connection: Connection = { opening: this.open(url), channel: null };
    connection.opening.then(
      (channel) => (connection.channel = channel),
      () => undefined,
    );
    this.connections.set(url, connection);
    const [[oldest, first] = []] = this.connections;
    if (this.connections.size > MAX_BROKERS_OPEN && oldest !== undefined && first) this.drop(oldest, first);
    return connection;
  }

  private async open(url: string): Promise<BrokerChannel> {
    const parsed = new URL(url);
    const address = brokerAddressOf(parsed);
    if (typeof address === 'string') throw new TypeError('the URL of a stored subscription cannot be read');
    const login = this.config.brokerLogins.find((each) => each.isFor(parsed)) ?? null;
    const lookup = this.guard.lookupFor(address.isSecure);
    const connecting = { address, login, lookup, timeoutMs: this.timeoutMs };
    return address.kind === 'nats' ? openNats(connecting) : openAmqp(connecting);
  }

  /** Closes a connection, unless another one has taken its place, which others use. */
  private drop(url: string, connection: Connection): void {
    if (this.connections.get(url) === connection) this.connections.delete(url);
    connection.opening.then(
      (channel) => channel.close(),
      () => undefined,
    );
  }
}

function errorOf(failure: unknown): PushError {
  if (failure instanceof TimedOut) return 'timeout';
  return failure instanceof LoginRefused ? 'login_refused' : errorOfFailure(failure);
}
