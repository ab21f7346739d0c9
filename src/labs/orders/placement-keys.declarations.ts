import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { OrderPlacementEntity } from './order-placement.entity.js';

export const placementKeysDeclarations: RoomDeclarations = {
  entities: [OrderPlacementEntity],
  personal: [
    personalRows(OrderPlacementEntity, byAccount, {
      as: 'order_placement',
      without: [...leaseColumns, 'key_digest', 'fingerprint'],
    }),
  ],
};
