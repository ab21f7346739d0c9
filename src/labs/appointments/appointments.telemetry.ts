import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { IdempotencyKeys } from '../keys/idempotency-keys.service.js';

type Action = 'book' | 'reschedule' | 'cancel';

/** Logs and counts bookings and changes, never their content. */
@Injectable()
export class AppointmentsTelemetry {
  private readonly calls;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    keys: IdempotencyKeys,
  ) {
    const help = 'Requests to book or change appointments by outcome';
    this.calls = metrics.counter('appointment_changes_total', help, ['action', 'outcome']);
    metrics.gauge('appointment_bookings_unresolved', 'Booking keys whose outcome is unknown', [], async (gauge) => {
      gauge.set(await keys.countUnresolved('booking'));
    });
  }

  /** `repeated`: already done by an earlier request. */
  done(action: Action, orderId: string, outcome: 'done' | 'repeated'): void {
    this.calls.inc({ action, outcome });
    this.log.event('order.appointment_changed', { order_ref: orderId, kind: action, outcome });
  }

  failed(action: Action, orderId: string, outcome: 'refused' | 'unknown', error: unknown): void {
    this.calls.inc({ action, outcome });
    const facts = { order_ref: orderId, outcome, ...loggable(error), kind: action };
    this.log.event('order.appointment_not_changed', facts, 'warn');
  }
}
