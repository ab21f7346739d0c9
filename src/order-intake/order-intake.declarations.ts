import type { RoomDeclarations } from '../declarations/declarations.js';
import { leaseColumns } from '../declarations/personal-data.js';

export const orderIntakeDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'order_refreshes',
      key: ['order_id'],
      paths: [{ column: 'order_id', through: { table: 'orders', key: 'order_id' } }],
      exported: { as: 'order_refresh', without: leaseColumns },
    },
  ],
  kept: { order_sync: 'how far the list of orders has been read' },
};
