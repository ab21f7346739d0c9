import type { RoomDeclarations } from '../../storage/declarations/declarations.js';

export const recoveriesDeclarations: RoomDeclarations = {
  kept: { recoveries: 'outages: windows and counts' },
};
