import type { RoomDeclarations } from '../../storage/declarations/declarations.js';

export const erasureGuardDeclarations: RoomDeclarations = {
  kept: {
    erasure_tombstones: 'the tombstones: digests of random ids, from which nobody gets the ids back',
    erasure_fences: 'the fences: keyed digests of ids, which keep the person from being made anew',
    erasure_fence_keys: 'the key of the fences, where none is configured; about nobody',
  },
};
