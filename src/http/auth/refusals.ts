import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError, CodedError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { type Issuers, OtherIssuer } from './discovery.js';

type Audience = 'app' | 'admin';

interface Refused extends Partial<Issuers> {
  readonly kind: Audience;
  readonly code: string;
  readonly reason: string;
  readonly count: number;
}

const SUM_MS = 60_000;

/** Counts refused requests by audience, code and reason, and logs one summary line per minute for each. */
@Injectable()
export class Refusals implements OnApplicationShutdown {
  private readonly refusals;
  private readonly sums = new Map<string, Refused>();
  private minute: NodeJS.Timeout | null = null;

  constructor(
    metrics: Metrics,
    private readonly log: Log,
  ) {
    this.refusals = metrics.counter('auth_refusals_total', 'Requests refused because of their credentials', [
      'audience',
      'code',
      'reason',
    ]);
  }

  onApplicationShutdown(): void {
    if (this.minute) clearTimeout(this.minute);
    this.logSums();
  }

  /** Runs a check; counts its error and rethrows it. */
  async counted<T>(audience: Audience, check: () => T | Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      const code = error instanceof CodedError ? error.code : 'internal';
      const reason = (error instanceof AppError ? error.reason : undefined) ?? 'none';
      this.refusals.inc({ audience, code, reason });
      const key = `${audience} ${code} ${reason}`;
      const count = (this.sums.get(key)?.count ?? 0) + 1;
      const { cause } = (error ?? {}) as { readonly cause?: unknown };
      const issuers = cause instanceof OtherIssuer ? cause.issuers : {};
      this.sums.set(key, { kind: audience, code, reason, count, ...issuers });
      this.minute ??= setTimeout(() => this.logSums(), SUM_MS).unref();
      throw error;
    }
  }

  private logSums(): void {
    this.minute = null;
    for (const sum of this.sums.values()) this.log.event('http.credentials_refused', { ...sum }, 'warn');
    this.sums.clear();
  }
}
