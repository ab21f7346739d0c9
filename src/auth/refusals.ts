import { Injectable } from '@nestjs/common';
import { CodedError } from '../platform/errors.js';
import { Metrics } from '../platform/metrics.js';

/** Counts refused requests, by audience and code. */
@Injectable()
export class Refusals {
  private readonly refusals;

  constructor(metrics: Metrics) {
    this.refusals = metrics.counter('auth_refusals_total', 'Requests refused for their credentials', [
      'audience',
      'code',
    ]);
  }

  /** Runs a check; counts its error and throws it on. */
  async counted<T>(audience: 'app' | 'admin', check: () => T | Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      this.refusals.inc({ audience, code: error instanceof CodedError ? error.code : 'internal' });
      throw error;
    }
  }
}
