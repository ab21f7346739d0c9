import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount, leaseColumns } from '../declarations/personal-data.js';

export const orderPlacementDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'order_placements',
      key: ['key_digest'],
      paths: byAccount,
      exported: { as: 'order_placement', without: [...leaseColumns, 'key_digest', 'fingerprint'] },
    },
  ],
};
