import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns } from '../../storage/declarations/personal-data.js';

export const placementKeysDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'order_placements',
      key: ['key_digest'],
      paths: byAccount,
      exported: { as: 'order_placement', without: [...leaseColumns, 'key_digest', 'fingerprint'] },
    },
  ],
};
