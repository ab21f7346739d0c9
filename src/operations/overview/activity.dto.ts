import { ApiProperty } from '@nestjs/swagger';
import { count } from '../../http/server/openapi.js';
import { type Role, roles } from '../../platform/config/config.js';
import { type Priority, priorities } from '../../upstream/transport/budget.js';
import { type CircuitStateName, circuitStates } from '../../upstream/transport/circuit.js';

class MessageHourDto {
  @ApiProperty({ format: 'date-time', description: 'Start of the hour.' }) start: string;
  @ApiProperty({ ...count, description: 'Received in this hour, and done, ignored or dead by now.' })
  processed: number;
  @ApiProperty({
    ...count,
    type: 'integer',
    nullable: true,
    description: 'Received in this hour and still waiting; null while more than 10,000 messages wait.',
  })
  waiting: number | null;
}

class CallsOfPriorityDto {
  @ApiProperty({ enum: priorities }) priority: Priority;
  @ApiProperty({ ...count, description: 'Calls that wait for their turn.' }) waiting: number;
  @ApiProperty({ ...count, description: 'Calls that began within the last minute.' }) began: number;
}

/** Calls to upstream of the process that responds; other processes are not in these figures. */
class UpstreamActivityDto {
  @ApiProperty({ enum: roles, description: 'Role of this process.' }) role: Role;
  @ApiProperty({ example: 'c4f802bc', description: '`instance` of its log lines.' }) instance: string;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Processes that share the budget, as far as it knows.' })
  processes: number;
  @ApiProperty({ enum: circuitStates, description: 'While open, no call is made.' }) circuit: CircuitStateName;
  @ApiProperty({ description: 'Its share of the budget.' }) calls_per_second: number;
  @ApiProperty({ type: 'integer', minimum: 1 }) max_concurrency: number;
  @ApiProperty({ type: [CallsOfPriorityDto], description: 'Most urgent first.' }) priorities: CallsOfPriorityDto[];
}

/** Counts and times; never health values. */
export class ActivityDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ type: [MessageHourDto], description: 'The last 24 hours, oldest first; the last one is not over.' })
  messages: MessageHourDto[];
  @ApiProperty() upstream: UpstreamActivityDto;
}
