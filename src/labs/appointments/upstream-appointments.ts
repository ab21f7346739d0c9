import { Injectable } from '@nestjs/common';
import { erasedError } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { AppointmentsClient } from '../../upstream/client/appointments.client.js';
import type { WireAppointment } from '../../upstream/client/wire-appointments.js';
import { interactive } from '../../upstream/transport/call.js';
import { OrderIntake } from '../intake/order-intake.service.js';
import { UpstreamOrders } from '../intake/upstream-orders.js';
import { type Appointment, type OrderDetail, OrderReadsService } from '../orders/order-reads.service.js';
import type { Observed } from '../orders/orders.service.js';

/** Reads orders and their appointments from the store and upstream, and stores what upstream reports. */
@Injectable()
export class UpstreamAppointments {
  constructor(
    private readonly client: AppointmentsClient,
    private readonly reads: OrderReadsService,
    private readonly orders: UpstreamOrders,
    private readonly intake: OrderIntake,
    private readonly lane: WriteLane,
  ) {}

  /**
   * The order as stored, read from upstream first where it is not known here. Throws `not_found` or `UpstreamError`.
   */
  async order(orderId: string): Promise<OrderDetail> {
    try {
      return await this.reads.get(orderId);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      await this.orders.readAndStore(orderId, interactive);
      return this.reads.get(orderId);
    }
  }

  /** The active appointment at upstream, or null. Throws `UpstreamError`. */
  active(orderId: string): Promise<WireAppointment | null> {
    return this.client.active(orderId, interactive);
  }

  /** Stores what upstream reported, in one database transaction with `settle`. Throws `account_erased`. */
  async store(
    appointment: WireAppointment,
    observed: Observed,
    settle: (tx: Tx) => Promise<void> = () => Promise.resolve(),
  ): Promise<Appointment> {
    const applied = await this.lane.run(async (tx) => {
      const applied = await this.intake.applyAppointment(tx, appointment, observed);
      if (applied.isSuppressed) throw erasedError();
      await settle(tx);
      return applied;
    });
    this.intake.report('operator', applied);
    return this.stored(appointment.order_id, appointment.id);
  }

  /** Throws `not_found`. */
  async stored(orderId: string, appointmentId: string): Promise<Appointment> {
    const { appointments } = await this.reads.get(orderId);
    const found = appointments.find((each) => each.appointment_id === appointmentId);
    if (!found) throw new AppError('not_found', 'There is no such appointment.');
    return found;
  }
}
