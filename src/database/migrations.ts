import { Foundation1763600000000 } from '../../migrations/1763600000000-foundation.js';

/** In order; a shipped one never changes. */
export const migrations = [Foundation1763600000000];
