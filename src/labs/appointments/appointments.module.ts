import { Module } from '@nestjs/common';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { OrderIntakeModule } from '../intake/order-intake.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { AppointmentsController, CancellationReasonsController } from './appointments.controller.js';
import { AppointmentsTelemetry } from './appointments.telemetry.js';
import { BookingService } from './booking.service.js';
import { BookingKeys } from './booking-keys.js';
import { BookingsRepository } from './bookings.repository.js';
import { ChangingService } from './changing.service.js';
import { UpstreamAppointments } from './upstream-appointments.js';

/** Books, moves and cancels the appointment of an order. */
@Module({
  imports: [UpstreamModule, OrdersModule, OrderIntakeModule],
  controllers: [AppointmentsController, CancellationReasonsController],
  providers: [
    BookingsRepository,
    BookingKeys,
    AppointmentsTelemetry,
    UpstreamAppointments,
    BookingService,
    ChangingService,
  ],
})
export class AppointmentsModule {}
