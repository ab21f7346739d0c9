import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { AlarmEntity, ProcessEntity } from './alarm.entity.js';

/** Alarms belong to no account, so that no snapshot shows them. */
const alarms = rowChanges({ kind: 'alarm', table: 'alarms', key: ['code'], json: ['providers'] });

export const alarmsDeclarations: RoomDeclarations = {
  changes: [{ kind: 'alarm', current: alarms.current }],
  entities: [AlarmEntity, ProcessEntity],
  kept: {
    alarms: 'raised alarms, as codes and counts',
    processes: 'running processes and the state they report; no personal data',
  },
};
