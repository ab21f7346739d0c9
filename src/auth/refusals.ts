import { Injectable } from '@nestjs/common';
import { AppError, CodedError } from '../platform/errors.js';
import { Metrics } from '../platform/metrics.js';

/** Counts refused requests, by audience, code and reason. */
@Injectable()
export class Refusals {
  private readonly refusals;

  constructor(metrics: Metrics) {
    this.refusals = metrics.counter('auth_refusals_total', 'Requests refused for their credentials', [
      'audience',
      'code',
      'reason',
    ]);
  }

  /** Runs a check; counts its error and throws it on. */
  async counted<T>(audience: 'app' | 'admin', check: () => T | Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      const code = error instanceof CodedError ? error.code : 'internal';
      const reason = (error instanceof AppError ? error.reason : undefined) ?? 'none';
      this.refusals.inc({ audience, code, reason });
      throw error;
    }
  }
}
