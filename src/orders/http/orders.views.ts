import { ApiProperty } from '@nestjs/swagger';
import { toIso } from '../../platform/http/times.js';
import type { AppointmentEntity } from '../appointment.entity.js';
import type { OrderEventEntity } from '../order.entity.js';
import type { OwnedOrder } from '../order-reads.repository.js';
import type { OrderDetail, OrderInChain, TransactionRead } from '../order-reads.service.js';
import { historyOf } from '../rules/lab-events.js';
import { type Chain, type ChainFlag, chainFlags, type Need, needs } from '../rules/redraw-chain.js';

const maybe = { type: 'string', nullable: true } as const;
const maybeId = { ...maybe, format: 'uuid' } as const;
const maybeTime = { ...maybe, format: 'date-time' } as const;
const id = { type: 'string', format: 'uuid' } as const;
const time = { type: 'string', format: 'date-time' } as const;

export class OwnOrderDto {
  @ApiProperty(id) order_id: string;
  @ApiProperty(maybeId) order_transaction_id: string | null;
  @ApiProperty({ ...maybe, example: 'redraw' }) origin: string | null;
  @ApiProperty({ ...maybeId, description: 'The order it was derived from.' }) parent_id: string | null;
  @ApiProperty({ ...maybe, example: 'received.walk_in_test.ordered' }) status: string | null;
  @ApiProperty(maybe) status_detail: string | null;
  @ApiProperty(maybeTime) status_at: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ ...maybeTime, description: 'Null while only the ids are known.' }) updated_at: string | null;
}

export class OrderDto extends OwnOrderDto {
  @ApiProperty({ ...maybe, description: 'Null when its user is none of our accounts.' }) account_id: string | null;
}

/** Where an order stands in its transaction. */
export class ChainDto {
  @ApiProperty(id) order_transaction_id: string;
  @ApiProperty({ ...maybe, example: 'active' }) status: string | null;
  @ApiProperty({ ...maybeId, description: 'The order to act on now, if there is one.' }) act_on: string | null;
  @ApiProperty({ enum: needs, nullable: true }) needs: Need | null;
  @ApiProperty({ enum: chainFlags, nullable: true, description: 'Why nothing is concluded.' }) flag: ChainFlag | null;
  @ApiProperty({ enum: ['order_transaction'], nullable: true }) results_from: string | null;
}

export class OwnOrderInChainDto extends OwnOrderDto {
  @ApiProperty({ type: ChainDto, nullable: true }) order_transaction: ChainDto | null;
}

export class OwnTransactionDto extends ChainDto {
  @ApiProperty({ type: [OwnOrderDto], description: 'In order of creation.' }) orders: OwnOrderDto[];
}

export class TransactionDto extends ChainDto {
  @ApiProperty(maybe) account_id: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ type: [OrderDto], description: 'In order of creation.' }) orders: OrderDto[];
}

export class OrderEventDto {
  @ApiProperty({ type: 'integer' }) event_id: number;
  @ApiProperty(time) created_at: string;
  @ApiProperty() status: string;
  @ApiProperty(maybe) status_detail: string | null;
}

export class HistoryEntryDto {
  @ApiProperty(time) created_at: string;
  @ApiProperty() status: string;
}

export class AppointmentDto {
  @ApiProperty(id) appointment_id: string;
  @ApiProperty(maybe) type: string | null;
  @ApiProperty(maybe) provider: string | null;
  @ApiProperty(maybe) status: string | null;
  @ApiProperty(maybe) event_status: string | null;
  @ApiProperty(maybeTime) start_at: string | null;
  @ApiProperty(maybeTime) end_at: string | null;
  @ApiProperty(maybe) iana_timezone: string | null;
  @ApiProperty({ type: [HistoryEntryDto] }) history: HistoryEntryDto[];
}

export class CriticalResultDto {
  @ApiProperty() sample_id: string;
  @ApiProperty({ ...maybe, example: 'final' }) status: string | null;
  @ApiProperty(time) created_at: string;
}

export class OrderDetailDto extends OrderDto {
  @ApiProperty({ type: [OrderEventDto], description: 'By time, then id.' }) events: OrderEventDto[];
  @ApiProperty({ type: [AppointmentDto] }) appointments: AppointmentDto[];
  @ApiProperty({ type: [CriticalResultDto] }) critical_results: CriticalResultDto[];
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}

function toOwnOrderDto(order: OwnedOrder): OwnOrderDto {
  const { order_id, order_transaction_id, origin, parent_id, status, status_detail } = order;
  return {
    order_id,
    order_transaction_id,
    origin,
    parent_id,
    status,
    status_detail,
    status_at: isoOrNull(order.status_at),
    created_at: toIso(order.created_at),
    updated_at: order.version === 0 ? null : toIso(order.version),
  };
}

export function toOrderDto(order: OwnedOrder): OrderDto {
  return { ...toOwnOrderDto(order), account_id: order.owner };
}

export function toChainDto({
  transaction,
  chain,
}: {
  transaction: TransactionRead['transaction'];
  chain: Chain<OwnedOrder>;
}): ChainDto {
  const { order_transaction_id, status } = transaction;
  const { act_on, needs: needed, flag, results_from } = chain;
  return { order_transaction_id, status, act_on, needs: needed, flag, results_from };
}

export function toOwnOrderInChainDto({ order, in: read }: OrderInChain): OwnOrderInChainDto {
  return { ...toOwnOrderDto(order), order_transaction: read && toChainDto(read) };
}

export function toOwnTransactionDto(read: TransactionRead): OwnTransactionDto {
  return { ...toChainDto(read), orders: read.chain.orders.map(toOwnOrderDto) };
}

export function toTransactionDto(read: TransactionRead): TransactionDto {
  return {
    ...toChainDto(read),
    account_id: read.transaction.owner,
    created_at: toIso(read.transaction.created_at),
    orders: read.chain.orders.map(toOrderDto),
  };
}

export function toOrderDetailDto({ order, events, appointments, criticalResults }: OrderDetail): OrderDetailDto {
  return {
    ...toOrderDto(order),
    events: events.map(toEventDto),
    appointments: appointments.map(toAppointmentDto),
    critical_results: criticalResults.map(({ sample_id, status, created_at }) => ({
      sample_id,
      status,
      created_at: toIso(created_at),
    })),
  };
}

function toEventDto({ event_id, created_at, status, status_detail }: OrderEventEntity): OrderEventDto {
  return { event_id, created_at: toIso(created_at), status, status_detail };
}

function toAppointmentDto(appointment: AppointmentEntity): AppointmentDto {
  const { appointment_id, type, provider, status, event_status, start_at, end_at, iana_timezone } = appointment;
  return {
    appointment_id,
    type,
    provider,
    status,
    event_status,
    start_at: isoOrNull(start_at),
    end_at: isoOrNull(end_at),
    iana_timezone,
    history: historyOf(appointment).map((entry) => ({ ...entry, created_at: toIso(entry.created_at) })),
  };
}
