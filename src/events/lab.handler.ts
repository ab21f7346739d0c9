import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { OrderIntake } from '../order-intake/order-intake.service.js';
import type { Applied } from '../orders/orders.service.js';
import { asFields } from '../platform/json-reader.js';
import { readOrder } from '../upstream/wire-orders.js';
import type { Plan, RoutedEvent } from './plan.js';

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

  /** A notice that names the order, not the transaction (supplement 9.8). */
  critical({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    return this.plan((tx, account) => this.intake.applyCritical(tx, fields, { account, observedAt: receivedAt }));
  }

  private plan(apply: (tx: Tx, account: number) => Promise<Applied>): Plan {
    let applied: Applied | null = null;
    return {
      effect: async (tx, { account }) => {
        applied = await apply(tx, account);
      },
      committed: () => {
        if (applied) this.intake.report('message', applied);
      },
    };
  }
}
