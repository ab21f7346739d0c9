import type { RoomDeclarations } from '../../storage/declarations/declarations.js';

export const alarmsDeclarations: RoomDeclarations = {
  kept: {
    alarms: 'what is wrong now, as codes and counts',
    processes: 'the running processes and what they see of their surroundings; nobody is named',
  },
};
