import { Injectable } from '@nestjs/common';
import { erasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { orNotFound } from '../../platform/platform/errors.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { AppointmentsClient } from '../../upstream/client/appointments.client.js';
import type { WireAppointment } from '../../upstream/client/wire-appointments.js';
import { interactive } from '../../upstream/transport/call.js';
import { type Appointment, OrderReadsService } from '../orders/order-reads.service.js';
import { OrdersApply, type Reported } from '../orders/orders-apply.service.js';

/** Reads appointments from upstream and the database, and stores upstream's reports. */
@Injectable()
export class UpstreamAppointments {
  constructor(
    private readonly client: AppointmentsClient,
    private readonly reads: OrderReadsService,
    private readonly ordersApply: OrdersApply,
    private readonly lane: WriteLane,
  ) {}

  /** The active appointment at upstream; null if there is none. Throws `UpstreamError`. */
  active(orderId: string): Promise<WireAppointment | null> {
    return this.client.active(orderId, interactive);
  }

  /** Stores an appointment in one database transaction with `settle`. Throws `account_erased`. */
  async store(
    appointment: WireAppointment,
    observed: Omit<Reported, 'source'>,
    settle: (tx: Tx) => Promise<void> = () => Promise.resolve(),
  ): Promise<Appointment> {
    const reported = { ...observed, source: 'operator' } as const;
    await this.lane.run(async (tx) => {
      if (!(await this.ordersApply.applyAppointment(tx, appointment, reported))) throw erasedError();
      await settle(tx);
    });
    return this.stored(appointment.order_id, appointment.id);
  }

  /** A stored appointment. Throws `not_found`. */
  async stored(orderId: string, appointmentId: string): Promise<Appointment> {
    const { appointments } = await this.reads.get(orderId);
    const found = appointments.find((each) => each.appointment_id === appointmentId);
    return orNotFound(found, 'There is no such appointment.');
  }
}
