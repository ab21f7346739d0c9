import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { textOrNull } from '../../http/server/openapi.js';
import { IsLine } from '../../http/server/validation.js';
import { toIso } from '../../platform/platform/time.js';
import { alarmActions } from './alarm-actions.js';
import { type Alarm, type AlarmCode, alarmCodes, alarmList, runbookOf } from './alarm-list.js';

export class AlarmPath {
  @ApiProperty({ enum: alarmCodes })
  @IsIn(alarmCodes)
  code: AlarmCode;
}

export class AlarmAcknowledgementRequest {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    description: 'Why the alarm may stay; shown with it. Must not name a person.',
    example: 'Reported to upstream, expected on Monday.',
  })
  @IsLine()
  reason: string;
}

class AlarmAcknowledgementDto {
  @ApiProperty({ example: 'ops', description: 'Name of the key or of the person.' }) by: string;
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ example: 'Reported to upstream, expected on Monday.' }) reason: string;
}

export class AlarmDto {
  @ApiProperty({ enum: alarmCodes }) code: AlarmCode;
  @ApiProperty({
    enum: ['critical', 'warning'],
    description: 'critical: act immediately, also at night. warning: act within the working day.',
  })
  severity: 'critical' | 'warning';
  @ApiProperty() message: string;
  @ApiProperty({
    example: 'Fix the cause that their reason names, then replay them.',
    description: 'What to do first.',
  })
  action: string;
  @ApiProperty({
    ...textOrNull,
    example: 'pulsekeep inbox replay --status dead',
    description: 'Command that does it or shows what is affected; capitals stand for what to fill in.',
  })
  command: string | null;
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
  @ApiProperty({
    type: [String],
    description: 'Why, as codes, if the cause is known: for push_failing, the errors of the last pushes.',
    example: [],
  })
  reasons: readonly string[];
  @ApiProperty({ example: 'docs/runbook.md#silence', description: 'Section of the runbook with the remedy.' })
  runbook: string;
  @ApiProperty({
    type: AlarmAcknowledgementDto,
    nullable: true,
    description: 'Who acknowledged the alarm, and why. Null if it is not acknowledged, or has grown since.',
  })
  acknowledged: AlarmAcknowledgementDto | null;
}

export class AlarmsDto {
  @ApiProperty({ type: [AlarmDto], description: 'Most urgent first.' }) data: AlarmDto[];
  @ApiProperty({ type: String, nullable: true, description: 'Always null: all alarms fit one page.', example: null })
  next_cursor: string | null;
}

export function toAlarmDto(alarm: Alarm): AlarmDto {
  const { code, count, since, raised_at, providers = [], reasons = [], acknowledged: known } = alarm;
  const acknowledged = known && { by: known.by, at: toIso(known.at), reason: known.reason };
  const times = { since: toIso(since), raised_at: toIso(raised_at) };
  const lists = { providers, reasons };
  const { severity, message } = alarmList[code];
  return {
    code,
    severity,
    message,
    ...alarmActions[code],
    count,
    ...times,
    ...lists,
    runbook: runbookOf(code),
    acknowledged,
  };
}
