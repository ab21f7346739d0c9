import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { AlarmEntity, ProcessEntity } from './alarm.entity.js';

export const alarmsDeclarations: RoomDeclarations = {
  entities: [AlarmEntity, ProcessEntity],
  kept: {
    alarms: 'what is wrong now, as codes and counts',
    processes: 'the running processes and what they see of their surroundings; nobody is named',
  },
};
