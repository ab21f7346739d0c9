import { ApiProperty } from '@nestjs/swagger';
import type { ShownStatus } from '../../accounts/accounts/account-status.js';

import { count, textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { DifferedDaysDto } from '../../ingest/audits/audits.dto.js';
import { type ReplicaFault, replicaFaults } from '../../storage/database/replica.js';
import { AlarmDto } from '../alarms/alarms.dto.js';

/** Includes every status, also those with no account. */
class AccountCountsDto implements Record<ShownStatus, number> {
  @ApiProperty(count) pending: number;
  @ApiProperty(count) active: number;
  @ApiProperty(count) blocked: number;
  @ApiProperty(count) erasing: number;
  @ApiProperty({ ...count, description: 'Upstream no longer has their user; relink these accounts.' })
  user_gone: number;
}

class ConnectionCountDto {
  @ApiProperty() provider: string;
  @ApiProperty({ description: 'connected, error, paused or disconnected; upstream may add values.' }) status: string;
  @ApiProperty({ ...textOrNull, description: 'Provider to connect instead of a retired one; else null.' })
  successor: string | null;
  @ApiProperty(count) count: number;
}

/** Documented states; sources in an undocumented state count as `other`. */
class ConnectionStatesDto {
  @ApiProperty(count) connected: number;
  @ApiProperty({ ...count, description: 'Sources that send no data until the person reconnects them.' }) error: number;
  @ApiProperty(count) paused: number;
  @ApiProperty({ ...count, description: 'No longer listed by upstream.' }) disconnected: number;
  @ApiProperty(count) other: number;
}

class TokensOverviewDto {
  @ApiProperty({ description: 'True if token issuance is enabled.' }) open: boolean;
  @ApiProperty({
    ...count,
    description: 'Installations that received more than five sign-in tokens in the last 24 hours.',
  })
  frequent_installations: number;
}

class InboxDto {
  @ApiProperty({ ...count, description: 'Messages waiting to be applied, including retries.' }) depth: number;
  @ApiProperty(timeOrNull) oldest_received_at: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) oldest_age_seconds: number | null;
  @ApiProperty({ ...count, description: 'Messages that failed permanently; replay them.' }) dead: number;
  @ApiProperty(timeOrNull) last_delivery_at: string | null;
  @ApiProperty({
    ...{ type: Boolean, nullable: true },
    description: 'True if a process consumes messages of the broker (WEBHOOK_AMQP_URL); null if none is configured.',
  })
  broker_consumed: boolean | null;
}

class TaskCountsDto {
  @ApiProperty(count) pending: number;
  @ApiProperty(count) running: number;
  @ApiProperty(count) failed: number;
}

class HistoricalPullCountsDto {
  @ApiProperty({ ...count, description: 'Pulls that upstream gave up.' }) failed: number;
  @ApiProperty({ ...timeOrNull, description: 'When the oldest failure was observed.' }) oldest_failed_at: string | null;
  @ApiProperty(count) retrying: number;
  @ApiProperty({ ...count, description: 'Pulls running for more than 24 hours.' }) stuck: number;
  @ApiProperty({ ...timeOrNull, description: 'When the oldest stuck pull was scheduled.' }) oldest_stuck_at:
    | string
    | null;
}

class SyncDto {
  @ApiProperty({ ...count, description: 'Age of the oldest incomplete window or overdue pull.' })
  lag_seconds: number;
  @ApiProperty() tasks: TaskCountsDto;
  @ApiProperty() historical_pulls: HistoricalPullCountsDto;
}

const share = { type: 'number', minimum: 0, maximum: 1 } as const;

class AuditOverviewDto {
  @ApiProperty({ ...count, description: 'Days that are not equal with upstream.' }) different: number;
  @ApiProperty({ ...count, description: 'Days whose repair waits for an operator.' }) held: number;
  @ApiProperty({
    ...count,
    description: 'Days that differ through a fault of this program, or did until they were repaired within 24 hours.',
  })
  faults: number;
  @ApiProperty({ ...count, description: 'Days that were compared. This and the following: at most ten minutes old.' })
  compared: number;
  @ApiProperty({ ...share, description: 'Share of them that was proven equal within 7 days.' })
  proven_share_7_days: number;
  @ApiProperty({ ...share, description: 'The same within 30 days.' })
  proven_share_30_days: number;
  @ApiProperty({ ...count, description: 'Days compared within 7 days that differed at first, also repaired ones.' })
  differed_7_days: number;
  @ApiProperty({ type: [DifferedDaysDto], description: 'The same by cause.' })
  differences_7_days: readonly DifferedDaysDto[];
  @ApiProperty({ ...count, description: 'Calls of the audits of 7 days, without those of repairs.' })
  calls_7_days: number;
  @ApiProperty({ ...timeOrNull, description: 'When the day was proven whose proof is the oldest.' })
  oldest_proof_at: string | null;
}

class OrderCountsDto {
  @ApiProperty({ ...count, description: 'Order transactions whose patient must be informed of a redraw.' })
  needs_redraw: number;
  @ApiProperty({ ...count, description: 'Those without a record that the patient was informed.' })
  redraws_untold: number;
  @ApiProperty({ ...count, description: "Orders skipped in upstream's list because they could not be parsed." })
  unreadable: number;
  @ApiProperty({ ...count, description: 'Unmatched results that wait for your decision.' }) results_to_review: number;
  @ApiProperty({ ...timeOrNull, description: 'When the oldest of them was created.' })
  oldest_result_to_review_at: string | null;
  @ApiProperty(count) critical_results: number;
  @ApiProperty({ ...count, description: 'Those without a record that the patient was informed.' })
  critical_results_untold: number;
  @ApiProperty({ ...timeOrNull, description: 'When the newest one was first seen.' })
  newest_critical_result_at: string | null;
}

class SourcePrioritiesOverviewDto {
  @ApiProperty({ ...count, description: 'Data types with a list set here for all accounts.' }) set: number;
  @ApiProperty({ ...timeOrNull, description: "When the oldest of upstream's lists was read; null if none was." })
  upstream_read_at: string | null;
  @ApiProperty({ ...count, description: "Entries of upstream's lists ignored because they name no source." })
  upstream_unreadable: number;
}

class WaitingDto {
  @ApiProperty({
    example: 'sync_task',
    description: 'Kind of work: message, sync_task, source_poll, result_fetch, ...',
  })
  kind: string;
  @ApiProperty({ example: 'upstream_unavailable', description: 'Code of the last failure.' }) last_error: string;
  @ApiProperty(count) count: number;
}

class ReplicaDto {
  @ApiProperty({ description: 'True if lists, exports and snapshots are read from it.' }) used: boolean;
  @ApiProperty({
    enum: replicaFaults,
    type: String,
    nullable: true,
    description: 'Why it is not used; `behind`: it lacks what was committed a second ago.',
  })
  reason: ReplicaFault | null;
  @ApiProperty({
    type: 'number',
    minimum: 0,
    nullable: true,
    description: 'How much older than the primary it was at the last look; null if unknown.',
  })
  lag_seconds: number | null;
}

class VersionsDto {
  @ApiProperty({ example: '0.9.0' }) pulsekeep: string;
  @ApiProperty({ type: String, nullable: true, description: 'Last migration that ran.' }) schema: string | null;
  @ApiProperty({ enum: ['sqlite', 'postgres'] }) database: string;
}

/** Contains only counts, times and names, no health values. */
export class OverviewDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({
    format: 'date-time',
    description: 'When accounts and connections were counted: up to five minutes earlier if counting them takes long.',
  })
  counted_at: string;
  @ApiProperty() accounts: AccountCountsDto;
  @ApiProperty({ type: [ConnectionCountDto] }) connections: ConnectionCountDto[];
  @ApiProperty() connection_states: ConnectionStatesDto;
  @ApiProperty({ ...count, description: 'Sources of retired providers that are not disconnected.' })
  retired_sources: number;
  @ApiProperty() source_priorities: SourcePrioritiesOverviewDto;
  @ApiProperty({ ...count, description: 'Consumers of the change feed that are more than 15 minutes behind.' })
  consumers_lagging: number;
  @ApiProperty() tokens: TokensOverviewDto;
  @ApiProperty() inbox: InboxDto;
  @ApiProperty() sync: SyncDto;
  @ApiProperty({ type: [WaitingDto], description: 'Work waiting for a retry, by last failure.' }) waiting: WaitingDto[];
  @ApiProperty() audits: AuditOverviewDto;
  @ApiProperty() orders: OrderCountsDto;
  @ApiProperty({ type: [AlarmDto] }) alarms: AlarmDto[];
  @ApiProperty({
    type: ReplicaDto,
    nullable: true,
    description: 'The replica of DATABASE_READ_URL as the responding process sees it; null without one.',
  })
  replica: ReplicaDto | null;
  @ApiProperty() versions: VersionsDto;
}
