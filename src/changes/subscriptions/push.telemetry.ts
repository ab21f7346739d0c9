import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { PushAnswer } from './push-answer.js';
import type { DisabledReason } from './subscription.entity.js';

/** Logs and counts pushes; never an address, a body or a secret. */
@Injectable()
export class PushTelemetry {
  private readonly pushes;
  private readonly seconds;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.pushes = metrics.counter('pushes_total', 'Push attempts by outcome', ['outcome']);
    this.seconds = metrics.histogram('push_duration_seconds', 'Time until an endpoint responded to a push');
  }

  pushed(subscription: string, { error, status, durationMs }: PushAnswer): void {
    this.pushes.inc({ outcome: error ?? 'delivered' });
    this.seconds.observe(durationMs / 1_000);
    if (error === null) return;
    const fields = { subscription_id: subscription, reason: error, duration_ms: durationMs };
    this.log.event('push.failed', { ...fields, ...(status !== null && { upstream_status: status }) }, 'debug');
  }

  /** Nothing arrived at an endpoint; it is retried after a delay. */
  endpointFailed(subscription: string, reason: string, delayMs: number): void {
    this.log.event('push.endpoint_failed', { subscription_id: subscription, reason, delay_ms: delayMs }, 'warn');
  }

  /** A push of an account failed, so its later pushes wait. */
  accountFailed(subscription: string, account: number, reason: string): void {
    const fields = { subscription_id: subscription, ...(account > 0 && { account_ref: account }), reason };
    this.log.event('push.account_waits', fields, 'warn');
  }

  gaveUp(subscription: string, count: number): void {
    if (count > 0) this.log.event('push.given_up', { subscription_id: subscription, count }, 'error');
  }

  disabled(subscription: string, reason: DisabledReason): void {
    this.log.event('push.endpoint_disabled', { subscription_id: subscription, reason }, 'error');
  }
}
