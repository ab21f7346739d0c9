import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { AlarmEntity, ProcessEntity } from './alarm.entity.js';

export const alarmsDeclarations: RoomDeclarations = {
  entities: [AlarmEntity, ProcessEntity],
  kept: {
    alarms: 'raised alarms, as codes and counts',
    processes: 'running processes and the state they report; no personal data',
  },
};
