import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { AlarmEntity, ProcessEntity } from './alarm.entity.js';

export const alarmsDeclarations: RoomDeclarations = {
  changes: [rowChanges({ kind: 'alarm', entity: AlarmEntity, account: null, json: ['providers'] })],
  entities: [AlarmEntity, ProcessEntity],
  kept: {
    alarms: 'raised alarms, as codes and counts',
    processes: 'running processes and the state they report; no personal data',
  },
};
