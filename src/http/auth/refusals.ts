import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError, CodedError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

type Audience = 'app' | 'admin';

interface Refused {
  readonly kind: Audience;
  readonly code: string;
  readonly reason: string;
  count: number;
}

const SUM_MS = 60_000;

/** Counts refused requests by audience, code and reason, and logs one summary line a minute for each. */
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
      this.sum({ kind: audience, code, reason, count: 1 });
      throw error;
    }
  }

  private sum(refused: Refused): void {
    const key = `${refused.kind} ${refused.code} ${refused.reason}`;
    const sum = this.sums.get(key);
    if (sum) sum.count += 1;
    else this.sums.set(key, refused);
    this.minute ??= setTimeout(() => this.logSums(), SUM_MS).unref();
  }

  private logSums(): void {
    this.minute = null;
    for (const sum of this.sums.values()) this.log.event('http.credentials_refused', { ...sum }, 'warn');
    this.sums.clear();
  }
}
