import { ApiProperty } from '@nestjs/swagger';
import type { AccountStatus } from '../accounts/accounts.service.js';
import { LinkFunnelDto } from '../link-attempts/link-counts.dto.js';
import { type AlarmCode, alarmCodes } from './alarms.js';

const count = { type: 'integer', minimum: 0 } as const;
const instant = { type: String, format: 'date-time', nullable: true } as const;

/** Every state an account can be in, those of no account too. */
class AccountCountsDto implements Record<AccountStatus, number> {
  @ApiProperty(count) pending: number;
  @ApiProperty(count) active: number;
  @ApiProperty(count) blocked: number;
  @ApiProperty(count) erasing: number;
}

class ConnectionCountDto {
  @ApiProperty() provider: string;
  @ApiProperty({ description: 'connected, error, paused, disconnected; open.' }) status: string;
  @ApiProperty(count) count: number;
}

/** The words upstream is known to use; sources in a state of another name are `other`. */
class ConnectionStatesDto {
  @ApiProperty(count) connected: number;
  @ApiProperty({ ...count, description: 'Nothing more comes until the person connects again.' }) error: number;
  @ApiProperty(count) paused: number;
  @ApiProperty({ ...count, description: 'No longer listed by upstream.' }) disconnected: number;
  @ApiProperty(count) other: number;
}

class TokensOverviewDto {
  @ApiProperty({ description: 'Whether tokens are issued at all.' }) open: boolean;
  @ApiProperty({
    ...count,
    description: 'Installations that got more than five sign-in tokens within a day, in the last 24 hours.',
  })
  frequent_installations: number;
}

class InboxDto {
  @ApiProperty({ ...count, description: 'Messages that wait for their effect, retries included.' }) depth: number;
  @ApiProperty(instant) oldest_received_at: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) oldest_age_seconds: number | null;
  @ApiProperty({ ...count, description: 'Messages given up until somebody replays them.' }) dead: number;
  @ApiProperty(instant) last_delivery_at: string | null;
}

class TaskCountsDto {
  @ApiProperty(count) pending: number;
  @ApiProperty(count) running: number;
  @ApiProperty(count) failed: number;
}

class HistoricalPullCountsDto {
  @ApiProperty({ ...count, description: 'Upstream gave up.' }) failed: number;
  @ApiProperty({ ...instant, description: 'When the oldest of them was seen.' }) oldest_failed_at: string | null;
  @ApiProperty(count) retrying: number;
  @ApiProperty({ ...count, description: 'Not ended for more than 24 hours.' }) stuck: number;
  @ApiProperty({ ...instant, description: 'When the oldest of them was scheduled.' }) oldest_stuck_at: string | null;
}

class SyncDto {
  @ApiProperty({ ...count, description: 'How long the oldest pull that is due has been waiting.' })
  lag_seconds: number;
  @ApiProperty() tasks: TaskCountsDto;
  @ApiProperty() historical_pulls: HistoricalPullCountsDto;
}

class OrderCountsDto {
  @ApiProperty({ ...count, description: 'Order transactions whose patient needs to hear of a redraw.' })
  needs_redraw: number;
  @ApiProperty(count) critical_results: number;
  @ApiProperty({ ...count, description: 'First seen in the last 7 days.' }) critical_results_last_7_days: number;
  @ApiProperty({ ...instant, description: 'When the last one was first seen.' })
  newest_critical_result_at: string | null;
}

class AlarmDto {
  @ApiProperty({ enum: alarmCodes }) code: AlarmCode;
  @ApiProperty() message: string;
  @ApiProperty({ type: 'integer', nullable: true }) count: number | null;
  @ApiProperty(instant) since: string | null;
}

class VersionsDto {
  @ApiProperty({ example: '0.1.0' }) pulsekeep: string;
  @ApiProperty({ type: String, nullable: true, description: 'The last migration that ran.' }) schema: string | null;
  @ApiProperty({ enum: ['sqlite', 'postgres'] }) database: string;
}

/** The state of the whole: counts, times and names, no health values. */
export class OverviewDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty() accounts: AccountCountsDto;
  @ApiProperty({ type: [ConnectionCountDto] }) connections: ConnectionCountDto[];
  @ApiProperty() connection_states: ConnectionStatesDto;
  @ApiProperty() links: LinkFunnelDto;
  @ApiProperty() tokens: TokensOverviewDto;
  @ApiProperty() inbox: InboxDto;
  @ApiProperty() sync: SyncDto;
  @ApiProperty() orders: OrderCountsDto;
  @ApiProperty({ type: [AlarmDto] }) alarms: AlarmDto[];
  @ApiProperty() versions: VersionsDto;
}
