import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { listOrEmpty } from '../../platform/platform/json-reader.js';
import { AppointmentsClient } from '../../upstream/client/appointments.client.js';
import type {
  WireAppointment,
  WireCancellationReason,
  WireSlotChoice,
} from '../../upstream/client/wire-appointments.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { Appointment } from '../orders/order-reads.service.js';
import { AppointmentsTelemetry } from './appointments.telemetry.js';
import { refused } from './refusal.js';
import { UpstreamAppointments } from './upstream-appointments.js';

export interface Cancellation {
  readonly reasonId?: string;
  readonly note?: string;
}

/**
 * Moves and cancels the appointment of an order. Each call is made once; when its answer is lost, or it is refused, the
 * appointment is looked at again. Nothing is stored but what upstream says of it, so a crash leaves nothing to clean
 * up.
 */
@Injectable()
export class ChangingService {
  constructor(
    private readonly upstream: UpstreamAppointments,
    private readonly client: AppointmentsClient,
    private readonly clock: Clock,
    private readonly telemetry: AppointmentsTelemetry,
  ) {}

  /** The appointment at its new time. Throws `not_found`, what `refused` makes of a refusal, or `UpstreamError`. */
  async reschedule(orderId: string, choice: WireSlotChoice): Promise<Appointment> {
    const { order } = await this.upstream.order(orderId);
    const before = await this.upstream.active(order.order_id);
    if (before === null) throw noAppointment();
    const observedAt = this.clock.now();
    let moved: WireAppointment;
    try {
      moved = await this.client.reschedule(order.order_id, choice, interactive);
    } catch (error) {
      const after = await this.afterFailure('reschedule', order.order_id, error);
      if (after) await this.upstream.store(after, { account: order.account_id, observedAt });
      if (!after || !isChanged(before, after)) throw this.refusal('reschedule', order.order_id, error);
      moved = after;
    }
    this.telemetry.done('reschedule', order.order_id, 'done');
    return this.upstream.store(moved, { account: order.account_id, observedAt });
  }

  /**
   * The cancelled appointment; an already cancelled one is returned unchanged. Throws `invalid_request` with the valid
   * reasons if none is given, else as `reschedule` does.
   */
  async cancel(orderId: string, cancellation: Cancellation): Promise<Appointment> {
    const { order, appointments } = await this.upstream.order(orderId);
    const before = await this.upstream.active(order.order_id);
    if (before === null) {
      const last = appointments.filter(({ hasEnded }) => hasEnded).at(-1);
      if (!last) throw appointments.length > 0 ? endUnknown() : noAppointment();
      this.telemetry.done('cancel', order.order_id, 'repeated');
      return last;
    }
    if (cancellation.reasonId === undefined) throw await this.reasonMissing();
    const observedAt = this.clock.now();
    let cancelled: WireAppointment;
    try {
      cancelled = await this.client.cancel(order.order_id, cancellation, interactive);
    } catch (error) {
      if (await this.afterFailure('cancel', order.order_id, error)) {
        throw this.refusal('cancel', order.order_id, error);
      }
      // Upstream returns active appointments only, so its absence is the only sign of its end.
      cancelled = { ...before, status: 'cancelled', event_status: 'cancelled' };
    }
    this.telemetry.done('cancel', order.order_id, 'done');
    return this.upstream.store(cancelled, { account: order.account_id, observedAt });
  }

  /** Valid reasons for a cancellation. Throws `UpstreamError`. */
  reasons(): Promise<WireCancellationReason[]> {
    return this.client.cancellationReasons(interactive);
  }

  /** Upstream requires a reason (docs/upstream/appointments.md#booking). */
  private async reasonMissing(): Promise<AppError> {
    const reasons = await this.reasons().catch(() => []);
    const listed = reasons.map(({ id, name }) => (name === null ? id : `${id} (${name})`)).join(', ');
    const choice = listed === '' ? 'an id of GET /admin/v1/labs/cancellation-reasons' : `one of ${listed}`;
    const fields = [{ field: 'cancellation_reason_id', message: `cancellation_reason_id is required: ${choice}` }];
    return new AppError('invalid_request', 'A cancellation needs a reason.', { fields });
  }

  /** The appointment after a failed call; an error that cannot have taken effect is thrown immediately. */
  private async afterFailure(
    action: 'reschedule' | 'cancel',
    orderId: string,
    error: unknown,
  ): Promise<WireAppointment | null> {
    if (!(error instanceof UpstreamError) || !(error.isVerdict || error.mayHaveWorked)) throw error;
    return this.upstream.active(orderId).catch(() => {
      this.telemetry.failed(action, orderId, 'unknown', error);
      throw error.isVerdict ? refused(error) : error;
    });
  }

  private refusal(action: 'reschedule' | 'cancel', orderId: string, error: unknown): unknown {
    const isRefused = error instanceof UpstreamError && error.isVerdict;
    this.telemetry.failed(action, orderId, isRefused ? 'refused' : 'unknown', error);
    return isRefused ? refused(error) : error;
  }
}

/** A move changes the time of the appointment, or adds an entry to its history. */
function isChanged(before: WireAppointment, after: WireAppointment): boolean {
  return before.start_at !== after.start_at || listOrEmpty(before.events).length < listOrEmpty(after.events).length;
}

function endUnknown(): AppError {
  return new AppError('conflict', 'Upstream no longer has the appointment, and its final state has not arrived yet.', {
    retryAfterSeconds: 5,
  });
}

function noAppointment(): AppError {
  return new AppError('not_found', 'The order has no appointment.');
}
