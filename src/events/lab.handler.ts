import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { OrderIntake } from '../order-intake/order-intake.service.js';
import { asFields } from '../platform/json-reader.js';
import { readOrder } from '../upstream/wire-orders.js';
import { apply, type Plan, type RoutedEvent } from './event.js';

/** Events about lab orders. Each holds the whole object; which of two is newer, the object says itself. */
@Injectable()
export class LabHandler {
  constructor(private readonly intake: OrderIntake) {}

  order({ data, receivedAt }: RoutedEvent): Plan {
    const order = readOrder(data);
    return this.plan((tx, account) => this.intake.applyOrder(tx, order, { account, observedAt: receivedAt }));
  }

  appointment({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    return this.plan((tx, account) => this.intake.applyAppointment(tx, fields, { account, observedAt: receivedAt }));
  }

  /** A notice that names the order, not the transaction (docs/upstream/results.md#critical-result-event). */
  critical({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    return this.plan((tx, account) => this.intake.applyCritical(tx, fields, { account, observedAt: receivedAt }));
  }

  private plan(write: (tx: Tx, account: number) => ReturnType<OrderIntake['applyOrder']>): Plan {
    return apply(async (tx, { account, afterCommit }) => {
      const applied = await write(tx, account);
      afterCommit(() => this.intake.report('message', applied));
    });
  }
}
