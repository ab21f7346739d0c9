import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { ErasureFenceEntity, ErasureFenceKeyEntity } from './erasure-fence.entity.js';
import { ErasureTombstoneEntity } from './erasure-tombstone.entity.js';

export const erasureGuardDeclarations: RoomDeclarations = {
  entities: [ErasureFenceEntity, ErasureFenceKeyEntity, ErasureTombstoneEntity],
  kept: {
    erasure_tombstones: 'the tombstones: digests of random ids, which cannot be reversed',
    erasure_fences: 'the fences: keyed digests of ids, which prevent new accounts with these ids',
    erasure_fence_keys: 'the key of the fences, if none is configured; no personal data',
  },
};
