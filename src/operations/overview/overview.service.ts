import { Injectable } from '@nestjs/common';
import { successionOf } from '../../accounts/connections/provider-facts.js';
import { AuditProgress, type Progress } from '../../ingest/audits/audit-progress.service.js';
import { MessagesService } from '../../ingest/inbox/messages.service.js';
import { PullInspection } from '../../ingest/pulls/pull-inspection.service.js';
import { version } from '../../platform/config/versions.js';
import { Clock } from '../../platform/platform/clock.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import {
  type ConnectionCount,
  FiguresReader,
  type StatusCount,
  type StoreFigures,
} from '../../storage/declarations/figures.reader.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import { toAlarmDto } from '../alarms/alarms.dto.js';
import { AlarmsService } from '../alarms/alarms.service.js';
import { BrokerUse } from '../alarms/broker-use.js';
import type { OverviewDto } from './overview.dto.js';

interface InboxFigures {
  readonly waiting: number;
  readonly dead: number;
  readonly oldestWaitingAt: number | null;
  readonly lastReceivedAt: number | null;
}

@Injectable()
export class OverviewService {
  constructor(
    private readonly figures: FiguresReader,
    private readonly messages: MessagesService,
    private readonly pulls: PullInspection,
    private readonly alarms: AlarmsService,
    private readonly clock: Clock,
    private readonly schema: SchemaService,
    private readonly audits: AuditProgress,
    private readonly broker: BrokerUse,
    private readonly reader: Reader,
  ) {}

  async overview(): Promise<OverviewDto> {
    const now = this.clock.now();
    const [store, inbox, lagMs, schema, alarms, waiting, progress, isConsumed] = await Promise.all([
      this.figures.read(now),
      this.messages.figures(),
      this.pulls.lagMs(),
      this.schema.lastMigration(),
      this.alarms.current(now),
      this.figures.waiting(),
      this.audits.read(),
      this.broker.isConsumed(now),
    ]);
    return {
      at: toIso(now),
      counted_at: toIso(store.counted_at),
      accounts: accountsOf(store.accounts),
      connections: store.connections.map((counted) => ({
        ...counted,
        successor: successionOf(counted.provider, now)?.successor ?? null,
      })),
      connection_states: connectionStatesOf(store.connections),
      retired_sources: store.retired_sources,
      source_priorities: {
        set: store.priorities_set,
        upstream_read_at: isoOrNull(store.priorities_read_at),
        upstream_unreadable: store.priorities_unreadable,
      },
      consumers_lagging: store.consumers_lagging,
      tokens: {
        open: store.tokens_open === 1,
        frequent_installations: store.frequent_installations,
      },
      inbox: { ...inboxOf(inbox, now), broker_consumed: isConsumed },
      sync: syncOf(store, lagMs),
      waiting: waiting.map(({ error, ...rest }) => ({ ...rest, last_error: error })),
      audits: {
        different: store.audit_days_different,
        held: store.audit_days_held,
        faults: store.audit_faults,
        ...auditsOf(progress),
      },
      orders: ordersOf(store),
      alarms: alarms.map(toAlarmDto),
      replica: replicaOf(this.reader),
      versions: { pulsekeep: version, schema, database: this.figures.dialect },
    };
  }
}

function accountsOf(counts: readonly StatusCount[]): OverviewDto['accounts'] {
  const known = { pending: 0, active: 0, blocked: 0, erasing: 0, user_gone: 0 };
  return { ...known, ...Object.fromEntries(counts.map(({ status, count }) => [status, count])) };
}

function connectionStatesOf(counts: readonly ConnectionCount[]): OverviewDto['connection_states'] {
  const states = { connected: 0, error: 0, paused: 0, disconnected: 0, other: 0 };
  for (const { status, count } of counts) states[isKey(states, status) ? status : 'other'] += count;
  return states;
}

function isKey<T extends object>(holder: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(holder, name);
}

function inboxOf(
  { waiting, dead, oldestWaitingAt, lastReceivedAt }: InboxFigures,
  now: number,
): Omit<OverviewDto['inbox'], 'broker_consumed'> {
  return {
    depth: waiting,
    oldest_received_at: isoOrNull(oldestWaitingAt),
    oldest_age_seconds: oldestWaitingAt === null ? null : seconds(now - oldestWaitingAt),
    dead,
    last_delivery_at: isoOrNull(lastReceivedAt),
  };
}

function syncOf(store: StoreFigures, lagMs: number): OverviewDto['sync'] {
  const { tasks_pending: pending, tasks_running: running, tasks_failed: failed } = store;
  return {
    lag_seconds: seconds(lagMs),
    tasks: { pending, running, failed },
    historical_pulls: {
      failed: store.pulls_failed,
      oldest_failed_at: isoOrNull(store.pulls_failed_since),
      retrying: store.pulls_retrying,
      stuck: store.pulls_stuck,
      oldest_stuck_at: isoOrNull(store.pulls_stuck_since),
    },
  };
}

function ordersOf(store: StoreFigures): OverviewDto['orders'] {
  return {
    needs_redraw: store.orders_needing_redraw,
    redraws_untold: store.redraws_untold,
    unreadable: store.orders_unreadable,
    results_to_review: store.results_to_review,
    oldest_result_to_review_at: isoOrNull(store.results_to_review_since),
    critical_results: store.critical_results,
    critical_results_untold: store.critical_results_untold,
    newest_critical_result_at: isoOrNull(store.critical_results_newest_at),
  };
}

function replicaOf({ replica }: Reader): OverviewDto['replica'] {
  if (replica === null) return null;
  const { fault, lagMs } = replica.state;
  return { used: fault === null, reason: fault, lag_seconds: lagMs === null ? null : Math.max(0, lagMs) / 1_000 };
}

function seconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1_000));
}

function auditsOf({ compared, ...progress }: Progress) {
  const shareOf = (count: number): number => (compared === 0 ? 0 : count / compared);
  return {
    compared,
    proven_share_7_days: shareOf(progress.provenInWeek),
    proven_share_30_days: shareOf(progress.provenInMonth),
    differed_7_days: progress.differedInWeek.reduce((sum, { found }) => sum + found, 0),
    differences_7_days: progress.differedInWeek,
    calls_7_days: progress.callsInWeek,
    oldest_proof_at: isoOrNull(progress.oldestProofAt),
  };
}
