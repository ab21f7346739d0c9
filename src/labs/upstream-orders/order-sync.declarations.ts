import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { OrderSyncEntity } from './order-sync.entity.js';

export const orderSyncDeclarations: RoomDeclarations = {
  entities: [OrderSyncEntity],
  kept: { order_sync: "position in upstream's list of orders" },
  waiting: { order_list: waitingByError('order_sync') },
  figures: {
    orders_unreadable: 'SELECT unreadable FROM order_sync WHERE id = 1',
    // A team without access to orders is refused from the start, which is not a failure.
    order_list_failing_since: `SELECT COALESCE(high_water_mark, pass_started_at) FROM order_sync WHERE id = 1
      AND error_code IS NOT NULL AND NOT (high_water_mark IS NULL AND error_code = 'upstream_rejected')`,
  },
  gauges: [
    {
      name: 'orders_unreadable',
      help: 'Unreadable orders in the last pass over the order list',
      figure: 'orders_unreadable',
    },
  ],
};
