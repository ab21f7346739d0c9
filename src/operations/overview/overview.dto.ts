import { ApiProperty } from '@nestjs/swagger';
import type { ShownStatus } from '../../accounts/accounts/accounts.service.js';
import { LinkFunnelDto } from '../../accounts/link-attempts/link-counts.dto.js';
import { AlarmDto } from '../alarms/alarms.dto.js';

const count = { type: 'integer', minimum: 0 } as const;
const instant = { type: String, format: 'date-time', nullable: true } as const;

/** Every state an account can be in, those of no account too. */
class AccountCountsDto implements Record<ShownStatus, number> {
  @ApiProperty(count) pending: number;
  @ApiProperty(count) active: number;
  @ApiProperty(count) blocked: number;
  @ApiProperty(count) erasing: number;
  @ApiProperty({ ...count, description: 'Upstream no longer has their user; relink them.' }) user_gone: number;
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
  @ApiProperty({ ...count, description: 'How late the newest whole window of a stream is, or a pull that is due.' })
  lag_seconds: number;
  @ApiProperty() tasks: TaskCountsDto;
  @ApiProperty() historical_pulls: HistoricalPullCountsDto;
}

class OrderCountsDto {
  @ApiProperty({ ...count, description: 'Order transactions whose patient needs to hear of a redraw.' })
  needs_redraw: number;
  @ApiProperty({ ...count, description: "Passed over in upstream's list because they could not be read." })
  unreadable: number;
  @ApiProperty(count) critical_results: number;
  @ApiProperty({ ...count, description: 'First seen in the last 7 days.' }) critical_results_last_7_days: number;
  @ApiProperty({ ...instant, description: 'When the last one was first seen.' })
  newest_critical_result_at: string | null;
}

class WaitingDto {
  @ApiProperty({ example: 'sync_task', description: 'What waits: message, sync_task, source_poll, result_fetch, ...' })
  kind: string;
  @ApiProperty({ example: 'upstream_unavailable', description: 'The code of the last failure.' }) last_error: string;
  @ApiProperty(count) count: number;
}

class VersionsDto {
  @ApiProperty({ example: '0.9.0' }) pulsekeep: string;
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
  @ApiProperty({ type: [WaitingDto], description: 'What waits after a failure, and why.' }) waiting: WaitingDto[];
  @ApiProperty() orders: OrderCountsDto;
  @ApiProperty({ type: [AlarmDto] }) alarms: AlarmDto[];
  @ApiProperty() versions: VersionsDto;
}
