import { ApiProperty } from '@nestjs/swagger';
import { count } from '../../http/server/openapi.js';
import { type Role, roles } from '../../platform/config/config.js';
import { type Priority, priorities } from '../../upstream/transport/budget.js';
import { type CircuitStateName, circuitStates } from '../../upstream/transport/circuit.js';

class MessageHourDto {
  @ApiProperty({ format: 'date-time', description: 'Start of the hour.' }) start: string;
  @ApiProperty({ ...count, description: 'Messages received in this hour that are done, ignored or dead.' })
  processed: number;
  @ApiProperty({
    ...count,
    type: 'integer',
    nullable: true,
    description: 'Messages received in this hour that still wait; null while more than 10,000 messages wait.',
  })
  waiting: number | null;
}

class CallsOfPriorityDto {
  @ApiProperty({ enum: priorities }) priority: Priority;
  @ApiProperty({ ...count, description: 'Calls waiting for their turn.' }) waiting: number;
  @ApiProperty({ ...count, description: 'Calls started in the last minute.' }) began: number;
}

/** Upstream calls of the responding process; other processes are not included. */
class UpstreamActivityDto {
  @ApiProperty({ enum: roles, description: 'Role of this process.' }) role: Role;
  @ApiProperty({ example: 'c4f802bc', description: '`instance` of its log lines.' }) instance: string;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Known processes that share the call budget.' })
  processes: number;
  @ApiProperty({ enum: circuitStates, description: 'While open, no call is made.' }) circuit: CircuitStateName;
  @ApiProperty({
    description: 'Share of this process in the call budget now, with what it borrows, without what it lends.',
  })
  calls_per_second: number;
  @ApiProperty({ type: 'integer', minimum: 1 }) max_concurrency: number;
  @ApiProperty({ type: [CallsOfPriorityDto], description: 'Most urgent first.' }) priorities: CallsOfPriorityDto[];
}

/** Contains only counts and times, no health values. */
export class ActivityDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ type: [MessageHourDto], description: 'The last 24 hours, oldest first; the last hour is incomplete.' })
  messages: MessageHourDto[];
  @ApiProperty() upstream: UpstreamActivityDto;
}
