import { Injectable } from '@nestjs/common';
import { type Applied, OrdersService } from '../orders/orders.service.js';
import { OrdersTelemetry } from '../orders/orders.telemetry.js';
import { asFields } from '../platform/json-reader.js';
import { readOrder } from '../upstream/wire-orders.js';
import type { Plan, RoutedEvent } from './plan.js';

/** Events about lab orders. Each holds the whole object; which of two is newer, the object says itself. */
@Injectable()
export class LabHandler {
  constructor(
    private readonly orders: OrdersService,
    private readonly events: OrdersTelemetry,
  ) {}

  order({ data, receivedAt }: RoutedEvent): Plan {
    const order = readOrder(data);
    let applied: Applied | null = null;
    return {
      effect: async (tx, { account }) => {
        applied = await this.orders.applyOrder(tx, order, { account, observedAt: receivedAt });
      },
      committed: () => {
        if (applied) this.events.applied('message', applied);
      },
    };
  }

  appointment({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    return {
      effect: (tx, { account }) => this.orders.applyAppointment(tx, fields, { account, observedAt: receivedAt }),
    };
  }

  /** A notice that names the order, not the transaction (supplement 9.8). */
  critical({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    return { effect: (tx, { account }) => this.orders.applyCritical(tx, fields, { account, observedAt: receivedAt }) };
  }
}
