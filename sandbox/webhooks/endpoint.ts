import { DAY, HOUR } from '../engine/times.js';
import type { HeaderFamily } from './signing.js';

/** Settings that `/control/webhooks` can change. Faults of deliveries are in engine/faults.ts. */
export interface EndpointOptions {
  url: string | null;
  paused: boolean;
  header_family: HeaderFamily;
  timestamp_source: 'sandbox' | 'real';
  filter_types: string[] | null;
  timeout_ms: number;
  concurrency: number;
  exhausted_notice: boolean;
  /** Disabled by upstream; only the owner of the endpoint can enable it again. */
  disabled: boolean;
}

export function defaultEndpoint(url: string | null): EndpointOptions {
  return {
    url,
    paused: false,
    header_family: 'svix',
    timestamp_source: 'sandbox',
    filter_types: null,
    timeout_ms: 15_000,
    concurrency: 8,
    exhausted_notice: true,
    disabled: false,
  };
}

interface Secret {
  value: string;
  validUntil: number | null;
}

const GRACE_MS = 24 * HOUR;

/**
 * Signing secrets of the endpoint: for 24 hours after a rotation, the old one signs as well
 * (docs/upstream/webhooks.md#secrets).
 */
export class Secrets {
  private held: Secret[];

  constructor(first: string) {
    this.held = [{ value: first, validUntil: null }];
  }

  replace(values: string[]): void {
    this.held = values.map((value) => ({ value, validUntil: null }));
  }

  rotate(value: string, now: number): void {
    const older = this.held.map((secret) => ({ ...secret, validUntil: secret.validUntil ?? now + GRACE_MS }));
    this.held = [{ value, validUntil: null }, ...older];
  }

  /** Newest first. */
  valid(now: number): string[] {
    return this.held
      .filter((secret) => secret.validUntil === null || secret.validUntil > now)
      .map((secret) => secret.value);
  }
}

/**
 * Decides when an endpoint is disabled (docs/upstream/webhooks.md#disabled-endpoints): all attempts failed for five
 * days, counted from the later of two failures that were 12 to 24 hours apart.
 */
export class EndpointHealth {
  private failures: number[] = [];
  private countedFrom: number | null = null;

  succeeded(): void {
    this.failures = [];
    this.countedFrom = null;
  }

  /** True if the endpoint must be disabled now. */
  failed(now: number): boolean {
    this.failures = [...this.failures.filter((at) => now - at <= 24 * HOUR), now];
    if (this.countedFrom === null && this.failures.some((at) => now - at >= 12 * HOUR)) this.countedFrom = now;
    return this.countedFrom !== null && now - this.countedFrom >= 5 * DAY;
  }
}
