import { ApiProperty } from '@nestjs/swagger';
import { dateOrNull, textOrNull, time, timeOrNull } from '../../http/server/openapi.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { WaitingWorkDto } from '../../storage/work/waiting-work.dto.js';
import {
  type CriticalResult,
  type OrderDetail,
  type OrderEvent,
  type OwnOrder,
  type OwnTransaction,
  type TransactionDetail,
  type TransactionRead,
} from '../orders/order-reads.service.js';
import { type OwnedOrder } from '../orders/orders.reader.js';
import { notificationIn } from '../orders/patient-notification.js';
import { type ChainFlag, chainFlags, type Need, needs } from '../orders/redraw-chain.js';
import { AppointmentDto, CriticalResultDto, toAppointmentDto, toCriticalResultDto } from './lab-events.dto.js';
import { ReplacementDto, ToldDto, toReplacementDto, toToldDto } from './patient-notifications.dto.js';

const maybeId = { ...textOrNull, format: 'uuid' } as const;
const id = { type: 'string', format: 'uuid' } as const;

export class OwnOrderDto {
  @ApiProperty(id) order_id: string;
  @ApiProperty(maybeId) order_transaction_id: string | null;
  @ApiProperty({ ...textOrNull, example: 'redraw' }) origin: string | null;
  @ApiProperty({ ...maybeId, description: 'Order it was derived from; null if none.' }) parent_id: string | null;
  @ApiProperty({ ...textOrNull, example: 'Lipid Panel' }) lab_test_name: string | null;
  @ApiProperty({ ...textOrNull, example: 'Quest' }) lab_name: string | null;
  @ApiProperty({ ...textOrNull, example: 'walk_in_test' }) collection_method: string | null;
  @ApiProperty({ ...textOrNull, description: "The lab's id of the sample; null until there is a requisition." })
  sample_id: string | null;
  @ApiProperty(dateOrNull) expected_result_by_date: string | null;
  @ApiProperty(dateOrNull) worst_case_result_by_date: string | null;
  @ApiProperty({ ...dateOrNull, description: 'Date from which the lab works on it; null: immediately.' })
  activate_by: string | null;
  @ApiProperty({ ...textOrNull, example: 'received.walk_in_test.ordered' }) status: string | null;
  @ApiProperty(textOrNull) status_detail: string | null;
  @ApiProperty(timeOrNull) status_at: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ ...timeOrNull, description: 'Null while only the ids are known.' }) updated_at: string | null;
}

export class OrderDto extends OwnOrderDto {
  @ApiProperty({ ...textOrNull, description: 'Null if its user has no account.' }) account_id: string | null;
  @ApiProperty({ description: 'True while the lab reports one of its results as critical.' }) critical: boolean;
  @ApiProperty({ description: 'True if at least one critical result has no record that the patient was informed.' })
  critical_unnotified: boolean;
  @ApiProperty({ deprecated: true, description: 'Earlier name of critical_unnotified.' }) critical_untold: boolean;
}

/** The transaction of an order, and the needed action. */
export class ChainDto {
  @ApiProperty(id) order_transaction_id: string;
  @ApiProperty({ ...textOrNull, example: 'active' }) status: string | null;
  @ApiProperty({ ...maybeId, description: 'Order to act on now; null if none.' }) act_on: string | null;
  @ApiProperty({ enum: needs, nullable: true }) needs: Need | null;
  @ApiProperty({ enum: chainFlags, nullable: true, description: 'Why no action could be determined; else null.' })
  flag: ChainFlag | null;
  @ApiProperty({ enum: ['order_transaction'], nullable: true }) results_from: string | null;
}

export class OwnOrderInChainDto extends OwnOrderDto {
  @ApiProperty({ type: ChainDto, nullable: true }) order_transaction: ChainDto | null;
  @ApiProperty({ type: [AppointmentDto] }) appointments: AppointmentDto[];
}

export class OwnTransactionDto extends ChainDto {
  @ApiProperty({ type: [OwnOrderDto], description: 'Sorted by creation time.' }) orders: OwnOrderDto[];
  @ApiProperty({ type: [AppointmentDto] }) appointments: AppointmentDto[];
}

export class TransactionDto extends ChainDto {
  @ApiProperty(textOrNull) account_id: string | null;
  @ApiProperty({ description: 'True while the lab reports a result of one of its orders as critical.' })
  critical: boolean;
  @ApiProperty({
    type: ToldDto,
    nullable: true,
    description: 'Record that the patient was informed of the redraw; null if none.',
  })
  redraw_notified: ToldDto | null;
  @ApiProperty({ type: ToldDto, nullable: true, deprecated: true, description: 'Earlier name of redraw_notified.' })
  redraw_told: ToldDto | null;
  @ApiProperty({
    type: ReplacementDto,
    nullable: true,
    description: 'Latest record that a lost sample or kit was replaced; null if none.',
  })
  replaced: ReplacementDto | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ type: [OrderDto], description: 'Sorted by creation time.' }) orders: OrderDto[];
}

export class OrderEventDto {
  @ApiProperty({ type: 'integer' }) event_id: number;
  @ApiProperty(time) created_at: string;
  @ApiProperty() status: string;
  @ApiProperty(textOrNull) status_detail: string | null;
}

const criticalTold = {
  type: ToldDto,
  nullable: true,
  description: 'Latest record that the patient was informed of critical results; null if none.',
} as const;

const earlierCriticalTold = {
  ...criticalTold,
  deprecated: true,
  description: 'Earlier name of critical_notified.',
} as const;

const criticalResults = {
  description: 'Critical results as the lab reported them; null without the role reader.',
  nullable: true,
} as const;

export class OrderDetailDto extends OrderDto {
  @ApiProperty({ type: [OrderEventDto], description: 'Sorted by time, then id.' }) events: OrderEventDto[];
  @ApiProperty({ type: [AppointmentDto] }) appointments: AppointmentDto[];
  @ApiProperty(criticalTold) critical_notified: ToldDto | null;
  @ApiProperty(earlierCriticalTold) critical_told: ToldDto | null;
  @ApiProperty({ type: [CriticalResultDto], ...criticalResults }) critical_results: CriticalResultDto[] | null;
}

const resultFetch = {
  type: WaitingWorkDto,
  nullable: true,
  description: 'Scheduled fetch of the result; null if none.',
} as const;

export class ShownOrderDto extends OrderDetailDto {
  @ApiProperty({
    type: WaitingWorkDto,
    nullable: true,
    description:
      'Scheduled refresh of the order; null if none. `last_error` `not_found`: upstream no longer has the order; ' +
      'it stays stored.',
  })
  refresh: WaitingWorkDto | null;
  @ApiProperty({ ...timeOrNull, description: 'When upstream last returned it; null while only the ids are known.' })
  last_seen_at: string | null;
  @ApiProperty(resultFetch) result_fetch: WaitingWorkDto | null;
}

export class TransactionDetailDto extends TransactionDto {
  @ApiProperty({ type: [AppointmentDto] }) appointments: AppointmentDto[];
  @ApiProperty(criticalTold) critical_notified: ToldDto | null;
  @ApiProperty(earlierCriticalTold) critical_told: ToldDto | null;
  @ApiProperty({ type: [CriticalResultDto], ...criticalResults }) critical_results: CriticalResultDto[] | null;
}

export class ShownTransactionDto extends TransactionDetailDto {
  @ApiProperty(resultFetch) result_fetch: WaitingWorkDto | null;
}

function toOwnOrderDto(order: OwnedOrder): OwnOrderDto {
  const { order_id, order_transaction_id, origin, parent_id, status, status_detail } = order;
  return {
    order_id,
    order_transaction_id,
    origin,
    parent_id,
    lab_test_name: order.lab_test_name,
    lab_name: order.lab_name,
    collection_method: order.collection_method,
    sample_id: order.sample_id,
    expected_result_by_date: order.expected_result_by_date,
    worst_case_result_by_date: order.worst_case_result_by_date,
    activate_by: order.activate_by,
    status,
    status_detail,
    status_at: isoOrNull(order.status_at),
    created_at: toIso(order.created_at),
    updated_at: order.version === 0 ? null : toIso(order.version),
  };
}

export function toOrderDto(order: OwnedOrder): OrderDto {
  return {
    ...toOwnOrderDto(order),
    account_id: order.external_id,
    critical: order.critical === 1,
    critical_unnotified: order.critical_untold === 1,
    critical_untold: order.critical_untold === 1,
  };
}

export function toChainDto({ transaction, chain }: TransactionRead): ChainDto {
  const { order_transaction_id, status } = transaction;
  const { act_on, needs: needed, flag, results_from } = chain;
  return { order_transaction_id, status, act_on, needs: needed, flag, results_from };
}

export function toOwnOrderInChainDto({ order, in: read, appointments }: OwnOrder): OwnOrderInChainDto {
  return {
    ...toOwnOrderDto(order),
    order_transaction: read && toChainDto(read),
    appointments: appointments.map(toAppointmentDto),
  };
}

export function toOwnTransactionDto({ appointments, ...read }: OwnTransaction): OwnTransactionDto {
  return {
    ...toChainDto(read),
    orders: read.chain.orders.map(toOwnOrderDto),
    appointments: appointments.map(toAppointmentDto),
  };
}

export function toTransactionDto(read: TransactionRead): TransactionDto {
  return {
    ...toChainDto(read),
    account_id: read.transaction.external_id,
    critical: read.chain.orders.some((order) => order.critical === 1),
    redraw_notified: toToldDto(notificationIn(read.transaction)),
    redraw_told: toToldDto(notificationIn(read.transaction)),
    replaced: toReplacementDto(read.transaction),
    created_at: toIso(read.transaction.created_at),
    orders: read.chain.orders.map(toOrderDto),
  };
}

export function toTransactionDetailDto(detail: TransactionDetail, showsValues: boolean): TransactionDetailDto {
  return {
    ...toTransactionDto(detail),
    appointments: detail.appointments.map(toAppointmentDto),
    critical_notified: lastNotification(detail.criticalResults),
    critical_told: lastNotification(detail.criticalResults),
    critical_results: shown(detail.criticalResults, showsValues),
  };
}

export function toOrderDetailDto(detail: OrderDetail, showsValues: boolean): OrderDetailDto {
  return {
    ...toOrderDto(detail.order),
    events: detail.events.map(toEventDto),
    appointments: detail.appointments.map(toAppointmentDto),
    critical_notified: lastNotification(detail.criticalResults),
    critical_told: lastNotification(detail.criticalResults),
    critical_results: shown(detail.criticalResults, showsValues),
  };
}

function toEventDto({ event_id, created_at, status, status_detail }: OrderEvent): OrderEventDto {
  return { event_id, created_at: toIso(created_at), status, status_detail };
}

/** Null for callers who may not read values. */
function shown(results: readonly CriticalResult[], showsValues: boolean): CriticalResultDto[] | null {
  return showsValues ? results.map(toCriticalResultDto) : null;
}

function lastNotification(results: readonly CriticalResult[]): ToldDto | null {
  const all = results.map(notificationIn).filter((told) => told !== null);
  return toToldDto(all.toSorted((a, b) => b.at - a.at)[0] ?? null);
}
