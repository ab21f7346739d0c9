import type { RoomDeclarations } from '../declarations/declarations.js';
import { WalkEntity, type WalkName } from './walk.entity.js';

const failing = (name: WalkName): string =>
  `SELECT error_code AS error, COUNT(*) AS count FROM walks
   WHERE name = '${name}' AND error_code IS NOT NULL GROUP BY error_code`;

export const walksDeclarations: RoomDeclarations = {
  entities: [WalkEntity],
  kept: { walks: "positions in upstream's lists; no personal data" },
  waiting: { ingestion_walk: failing('ingestion_state'), order_list: failing('order_list') },
  figures: {
    orders_unreadable: `SELECT unreadable FROM walks WHERE name = 'order_list'`,
    // A team without access to orders is refused from the start, which is not a failure.
    order_list_failing_since: `SELECT COALESCE(high_water_mark, started_at) FROM walks WHERE name = 'order_list'
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
