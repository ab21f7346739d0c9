import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, invalidFields } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type OrderSubject, OrdersRepository } from './orders.repository.js';
import {
  type NewNotification,
  type NotificationColumns,
  type NotificationWay,
  notificationIn,
  type PatientNotification,
} from './patient-notification.js';
import { PatientNotificationsRepository } from './patient-notifications.repository.js';

export interface NotificationReport {
  /** Name of the operator's key. */
  readonly by: string;
  readonly how: NotificationWay;
  /** Epoch milliseconds; default: now. */
  readonly at?: number | undefined;
  /**
   * Of critical results: what the patient was told, by the version of the result and the names of markers; default:
   * all.
   */
  readonly version?: number | undefined;
  readonly markers?: readonly string[] | undefined;
}

/** The stored record. */
export interface Recorded extends PatientNotification {
  /** True if the record already existed. */
  readonly replayed: boolean;
}

/**
 * Records that a patient was informed of a redraw (for a transaction) or of critical results (for an order), so that it
 * happens only once. The first record stays, and every later caller gets it, also in other processes.
 */
@Injectable()
export class PatientNotifications {
  constructor(
    private readonly notifications: PatientNotificationsRepository,
    private readonly orders: OrdersRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Throws `not_found`, `conflict` if there is nothing to record, and `invalid_request` for a time in the future. */
  async record(subject: OrderSubject, { by, how, at, ...of }: NotificationReport): Promise<Recorded> {
    const now = this.clock.now();
    if (at !== undefined && at > now) throw inTheFuture();
    const recorded = await this.lane.run((tx) =>
      this.recordIn(tx, subject, { by, how, at: at ?? now, recordedAt: now, ...of }),
    );
    const { scope, id } = subject;
    const about = scope === 'order' ? { order_ref: id } : { order_transaction_ref: id };
    if (!recorded.replayed) this.log.event('order.patient_told', { ...about, kind: how });
    return recorded;
  }

  private async recordIn(tx: Tx, subject: OrderSubject, notification: NewNotification): Promise<Recorded> {
    const { at, by, how } = notification;
    if (await this.note(tx, subject, notification)) return { at, by, how, replayed: false };
    const stored = await this.recordOf(tx, subject);
    const before = stored && notificationIn(stored);
    if (before) return { ...before, replayed: true };
    if (subject.scope === 'transaction') {
      if (!stored) throw new AppError('not_found', 'There is no such order transaction.');
      throw new AppError('conflict', 'This transaction needs no redraw, so there is nothing to record.');
    }
    if (!(await this.orders.findOrder(tx, subject.id))) throw new AppError('not_found', 'There is no such order.');
    throw new AppError('conflict', 'This order has no critical result, so there is nothing to record.');
  }

  private note(tx: Tx, { scope, id }: OrderSubject, notification: NewNotification): Promise<boolean> {
    return scope === 'order'
      ? this.notifications.noteCritical(tx, id, notification)
      : this.notifications.noteRedraw(tx, id, notification);
  }

  private recordOf(tx: Tx, { scope, id }: OrderSubject): Promise<NotificationColumns | null> {
    return scope === 'order' ? this.notifications.ofCritical(tx, id) : this.notifications.ofRedraw(tx, id);
  }
}

function inTheFuture(): AppError {
  return invalidFields({ field: 'notified_at', message: 'notified_at must not be in the future' });
}
