import { ApiProperty } from '@nestjs/swagger';
import { toIso } from '../../platform/platform/time.js';
import { type Alarm, type AlarmCode, alarmCodes, runbookOf } from './alarm-codes.js';
import { alarmMessages } from './alarm-messages.js';

export class AlarmDto {
  @ApiProperty({ enum: alarmCodes }) code: AlarmCode;
  @ApiProperty() message: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'How many of the kind, where they can be counted.' })
  count: number | null;
  @ApiProperty({ format: 'date-time', description: 'Since when it is so; when it was raised where nobody knows.' })
  since: string;
  @ApiProperty({ format: 'date-time', description: 'When it was raised.' }) raised_at: string;
  @ApiProperty({
    type: [String],
    description: 'The providers it is about; empty where it is about none in particular.',
    example: ['oura'],
  })
  providers: readonly string[];
  @ApiProperty({ example: 'docs/runbook.md#silence', description: 'Where it is said what to do.' }) runbook: string;
}

export class AlarmsDto {
  @ApiProperty({ type: [AlarmDto], description: 'The most urgent first.' }) data: AlarmDto[];
  @ApiProperty({ type: String, nullable: true, description: 'Always null: there are few.', example: null })
  next_cursor: string | null;
}

export function toAlarmDto({ code, count, since, raised_at, providers = [] }: Alarm): AlarmDto {
  const times = { since: toIso(since), raised_at: toIso(raised_at) };
  return { code, message: alarmMessages[code], count, ...times, providers, runbook: runbookOf(code) };
}
