import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, invalidFields } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { type OrderSubject, OrdersRepository } from './orders.repository.js';
import { type Told, type ToldColumns, toldIn, type WayToTell } from './told.js';
import { ToldRepository } from './told.repository.js';

export interface Telling {
  /** Name of the operator's key. */
  readonly by: string;
  readonly how: WayToTell;
  /** Epoch milliseconds; default: now. */
  readonly at?: number | undefined;
}

/** The record that holds now. */
export interface Recorded extends Told {
  /** True if it was made before. */
  readonly replayed: boolean;
}

/**
 * Records that a patient was informed of a redraw (a transaction) or of critical results (an order), so that they are
 * informed once. The first caller's record stays, and every later caller gets it, in whichever process.
 */
@Injectable()
export class TellingService {
  constructor(
    private readonly told: ToldRepository,
    private readonly orders: OrdersRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Throws `not_found`, `conflict` if there is nothing to tell, and `invalid_request` for a time in the future. */
  async record(subject: OrderSubject, { by, how, at }: Telling): Promise<Recorded> {
    const now = this.clock.now();
    if (at !== undefined && at > now) throw inTheFuture();
    const recorded = await this.lane.run((tx) => this.recordIn(tx, subject, { by, how, at: at ?? now }));
    const { scope, id } = subject;
    const about = scope === 'order' ? { order_ref: id } : { order_transaction_ref: id };
    if (!recorded.replayed) this.log.event('order.patient_told', { ...about, kind: how });
    return recorded;
  }

  private async recordIn(tx: Tx, subject: OrderSubject, told: Told): Promise<Recorded> {
    if (await this.note(tx, subject, told)) return { ...told, replayed: false };
    const stored = await this.recordOf(tx, subject);
    const before = stored && toldIn(stored);
    if (before) return { ...before, replayed: true };
    if (subject.scope === 'transaction') {
      if (!stored) throw new AppError('not_found', 'There is no such order transaction.');
      throw new AppError('conflict', 'This transaction needs no redraw: there is nothing to tell.');
    }
    if (!(await this.orders.findOrder(tx, subject.id))) throw new AppError('not_found', 'There is no such order.');
    throw new AppError('conflict', 'This order has no critical result: there is nothing to tell.');
  }

  private note(tx: Tx, { scope, id }: OrderSubject, told: Told): Promise<boolean> {
    return scope === 'order' ? this.told.noteCritical(tx, id, told) : this.told.noteRedraw(tx, id, told);
  }

  private recordOf(tx: Tx, { scope, id }: OrderSubject): Promise<ToldColumns | null> {
    return scope === 'order' ? this.told.ofCritical(tx, id) : this.told.ofRedraw(tx, id);
  }
}

function inTheFuture(): AppError {
  return invalidFields({ field: 'told_at', message: 'told_at must not be in the future' });
}
