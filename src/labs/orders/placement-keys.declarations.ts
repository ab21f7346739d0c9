import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns } from '../../storage/declarations/personal-data.js';
import { OrderPlacementEntity } from './order-placement.entity.js';

export const placementKeysDeclarations: RoomDeclarations = {
  entities: [OrderPlacementEntity],
  personal: [
    {
      table: 'order_placements',
      key: ['key_digest'],
      paths: byAccount,
      exported: { as: 'order_placement', without: [...leaseColumns, 'key_digest', 'fingerprint'] },
    },
  ],
};
