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
import { UpstreamOrders } from '../upstream-orders/upstream-orders.js';
import { AppointmentsTelemetry } from './appointments.telemetry.js';
import { refused } from './refusal.js';
import { UpstreamAppointments } from './upstream-appointments.js';

export interface Cancellation {
  readonly reasonId?: string;
  readonly note?: string;
}

/**
 * Moves and cancels the appointment of an order. Each call is made once; if the response is lost or upstream refuses,
 * the appointment is read again. Only upstream's report is stored, so a crash leaves nothing to clean up.
 */
@Injectable()
export class ChangingService {
  constructor(
    private readonly orders: UpstreamOrders,
    private readonly upstream: UpstreamAppointments,
    private readonly client: AppointmentsClient,
    private readonly clock: Clock,
    private readonly telemetry: AppointmentsTelemetry,
  ) {}

  /** The moved appointment. Throws `not_found`, `conflict`, the errors of `refused`, and `UpstreamError`. */
  async reschedule(orderId: string, choice: WireSlotChoice): Promise<Appointment> {
    const { order } = await this.orders.stored(orderId);
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
      if (isRefusal(error)) throw this.movedByAnother(order.order_id, error);
      moved = after;
    }
    this.telemetry.done('reschedule', order.order_id, 'done');
    return this.upstream.store(moved, { account: order.account_id, observedAt });
  }

  /**
   * The cancelled appointment; an already cancelled one is returned unchanged. Throws `invalid_request` with the valid
   * reasons if none is given, and what `reschedule` throws.
   */
  async cancel(orderId: string, cancellation: Cancellation): Promise<Appointment> {
    const { order } = await this.orders.stored(orderId);
    const before = await this.upstream.active(order.order_id);
    if (before === null) return this.ended(order.order_id);
    if (cancellation.reasonId === undefined) throw await this.reasonMissing();
    const observedAt = this.clock.now();
    let cancelled: WireAppointment;
    try {
      cancelled = await this.client.cancel(order.order_id, cancellation, interactive);
    } catch (error) {
      if (await this.afterFailure('cancel', order.order_id, error)) {
        throw this.refusal('cancel', order.order_id, error);
      }
      // The appointment is gone although upstream refused: it took place, or another request cancelled it.
      if (isRefusal(error)) return this.ended(order.order_id, before.id);
      // Upstream returns only active appointments, so absence is the only sign of the cancellation.
      cancelled = { ...before, status: 'cancelled', event_status: 'cancelled' };
    }
    this.telemetry.done('cancel', order.order_id, 'done');
    return this.upstream.store(cancelled, { account: order.account_id, observedAt });
  }

  /** The stored final state of an appointment that upstream no longer returns; the last one if `id` is omitted. */
  private async ended(orderId: string, id?: string): Promise<Appointment> {
    const { appointments } = await this.orders.stored(orderId);
    if (appointments.length === 0) throw noAppointment();
    const last = appointments.findLast(({ appointment_id }) => id === undefined || appointment_id === id);
    if (!last?.hasEnded || appointments.some(({ isActive }) => isActive)) throw endUnknown();
    this.telemetry.done('cancel', orderId, 'repeated');
    return last;
  }

  /** Valid reasons for a cancellation. Throws `UpstreamError`. */
  reasons(): Promise<WireCancellationReason[]> {
    return this.client.cancellationReasons(interactive);
  }

  /** Upstream requires a reason (docs/upstream/appointments.md#booking). */
  private async reasonMissing(): Promise<AppError> {
    const reasons = await this.reasons().catch(() => []);
    const listed = reasons.map(({ id, name }) => (name === null ? id : `${id} (${name})`)).join(', ');
    const choice = listed === '' ? 'an id from GET /admin/v1/labs/cancellation-reasons' : `one of ${listed}`;
    const fields = [{ field: 'cancellation_reason_id', message: `cancellation_reason_id is required: ${choice}` }];
    return new AppError('invalid_request', 'A reason for the cancellation is required.', { fields });
  }

  /** The appointment after a failed call. Rethrows the error if the call cannot have taken effect. */
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

  private movedByAnother(orderId: string, error: UpstreamError): AppError {
    this.telemetry.failed('reschedule', orderId, 'refused', error);
    const message = 'Upstream refused, and another request changed the appointment; read the order first.';
    return new AppError('conflict', message, { cause: error });
  }

  private refusal(action: 'reschedule' | 'cancel', orderId: string, error: unknown): unknown {
    this.telemetry.failed(action, orderId, isRefusal(error) ? 'refused' : 'unknown', error);
    return isRefusal(error) ? refused(error) : error;
  }
}

/** Upstream itself refused, so the call changed nothing. */
function isRefusal(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.isVerdict;
}

/** True if the time of the appointment changed or its history has a new entry. */
function isChanged(before: WireAppointment, after: WireAppointment): boolean {
  return before.start_at !== after.start_at || listOrEmpty(before.events).length < listOrEmpty(after.events).length;
}

function endUnknown(): AppError {
  return new AppError('conflict', 'Upstream no longer has the appointment, and its final state is not known yet.', {
    retryAfterSeconds: 5,
  });
}

function noAppointment(): AppError {
  return new AppError('not_found', 'The order has no appointment.');
}
