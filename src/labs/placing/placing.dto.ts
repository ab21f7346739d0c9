import { ApiProperty } from '@nestjs/swagger';
import { OrderDetailDto, toOrderDetailDto } from '../order-api/orders.dto.js';
import type { OrderDetail } from '../orders/order-reads.service.js';

export class PlacedOrderDto extends OrderDetailDto {
  @ApiProperty({ description: 'True if returned from the database without a call to upstream.' }) replayed: boolean;
}

export class CancelledOrderDto extends OrderDetailDto {
  @ApiProperty({
    type: [String],
    description: 'Appointments that may still be active, because cancelling an order may not cancel them.',
  })
  open_appointments: string[];
}

export function toPlacedOrderDto(detail: OrderDetail, replayed: boolean): PlacedOrderDto {
  return { ...toOrderDetailDto(detail, true), replayed };
}

export function toCancelledOrderDto(detail: OrderDetail): CancelledOrderDto {
  const open = detail.appointments.filter((appointment) => !appointment.hasEnded);
  return { ...toOrderDetailDto(detail, true), open_appointments: open.map(({ appointment_id }) => appointment_id) };
}
