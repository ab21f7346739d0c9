import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { AlarmEntity, ProcessEntity } from './alarm.entity.js';
import { alarmActions } from './alarm-actions.js';
import { alarmCodes, alarmList } from './alarm-list.js';

export const alarmsDeclarations: RoomDeclarations = {
  alarmTexts: Object.fromEntries(
    alarmCodes.map((code) => [code, { ...alarmList[code], action: alarmActions[code].action }]),
  ),
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
