import type { RoomDeclarations } from '../declarations/declarations.js';

export const erasureGuardDeclarations: RoomDeclarations = {
  kept: { erasure_tombstones: 'the tombstones: digests of random ids, from which nobody gets the ids back' },
};
