import { ApiProperty } from '@nestjs/swagger';
import { toIso } from '../../platform/platform/time.js';
import { type Alarm, type AlarmCode, alarmCodes, alarmList, runbookOf } from './alarm-list.js';

export class AlarmDto {
  @ApiProperty({ enum: alarmCodes }) code: AlarmCode;
  @ApiProperty() message: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Number of affected items; null if not countable.' })
  count: number | null;
  @ApiProperty({ format: 'date-time', description: 'When the condition began, or was raised if that is unknown.' })
  since: string;
  @ApiProperty({ format: 'date-time', description: 'When the alarm was raised.' }) raised_at: string;
  @ApiProperty({
    type: [String],
    description: 'Affected providers; empty if the alarm is not about providers.',
    example: ['oura'],
  })
  providers: readonly string[];
  @ApiProperty({ example: 'docs/runbook.md#silence', description: 'Section of the runbook with the remedy.' })
  runbook: string;
}

export class AlarmsDto {
  @ApiProperty({ type: [AlarmDto], description: 'Most urgent first.' }) data: AlarmDto[];
  @ApiProperty({ type: String, nullable: true, description: 'Always null: all alarms fit one page.', example: null })
  next_cursor: string | null;
}

export function toAlarmDto({ code, count, since, raised_at, providers = [] }: Alarm): AlarmDto {
  const times = { since: toIso(since), raised_at: toIso(raised_at) };
  return { code, message: alarmList[code].message, count, ...times, providers, runbook: runbookOf(code) };
}
