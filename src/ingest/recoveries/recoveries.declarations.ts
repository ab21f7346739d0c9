import type { RoomDeclarations } from '../declarations/declarations.js';

export const recoveriesDeclarations: RoomDeclarations = {
  kept: { recoveries: 'outages: windows and counts' },
};
