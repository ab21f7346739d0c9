import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { RecoveryEntity } from './recovery.entity.js';

export const recoveriesDeclarations: RoomDeclarations = {
  entities: [RecoveryEntity],
  kept: { recoveries: 'outages: windows and counts' },
};
