import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { AlarmEntity, ProcessEntity } from './alarm.entity.js';

export const alarmsDeclarations: RoomDeclarations = {
  changes: [
    rowChanges({
      kind: 'alarm',
      entity: AlarmEntity,
      account: null,
      json: ['providers', 'reasons'],
      without: ['acknowledged'],
    }),
  ],
  entities: [AlarmEntity, ProcessEntity],
  kept: {
    alarms: 'raised alarms, as codes and counts, with the name and reason of the operator who acknowledged one',
    processes: 'running processes and the state they report; no personal data',
  },
};
