import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { ErasureFenceEntity, ErasureFenceKeyEntity } from './erasure-fence.entity.js';
import { ErasureTombstoneEntity } from './erasure-tombstone.entity.js';

export const erasureGuardDeclarations: RoomDeclarations = {
  entities: [ErasureFenceEntity, ErasureFenceKeyEntity, ErasureTombstoneEntity],
  kept: {
    erasure_tombstones: 'the tombstones: digests of random ids, from which nobody gets the ids back',
    erasure_fences: 'the fences: keyed digests of ids, which keep the person from being made anew',
    erasure_fence_keys: 'the key of the fences, where none is configured; about nobody',
  },
};
