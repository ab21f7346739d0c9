import { Injectable } from '@nestjs/common';
import { AlertConfig } from '../config/config.js';
import { Clock } from '../platform/clock.js';
import { toIso } from '../platform/http/times.js';
import { version } from '../platform/version.js';
import { SyncInspection } from '../sync/inspection/sync-inspection.service.js';
import { MessagesService } from '../webhooks/messages/messages.service.js';
import { alarmsOf, latelyDays } from './alarms.js';
import type { OverviewDto } from './overview.dto.js';
import { OverviewReader, type StatusCount, type StoreFigures } from './overview.reader.js';

const day = 86_400_000;

interface InboxFigures {
  readonly waiting: number;
  readonly dead: number;
  readonly oldestWaitingAt: number | null;
  readonly lastReceivedAt: number | null;
}

/** The state of the whole at one look. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly reader: OverviewReader,
    private readonly messages: MessagesService,
    private readonly sync: SyncInspection,
    private readonly config: AlertConfig,
    private readonly clock: Clock,
  ) {}

  async overview(): Promise<OverviewDto> {
    const now = this.clock.now();
    const [store, inbox, lagMs] = await Promise.all([
      this.reader.read(now - latelyDays * day),
      this.messages.figures(),
      this.sync.lagMs(),
    ]);
    const figures = { ...store, dead_messages: inbox.dead, last_delivery_at: inbox.lastReceivedAt };
    const alarms = alarmsOf(figures, this.config.silenceHours, now);
    return {
      at: toIso(now),
      accounts: accountsOf(store.accounts),
      connections: [...store.connections],
      inbox: inboxOf(inbox, now),
      sync: syncOf(store, lagMs),
      orders: { needs_redraw: store.orders_needing_redraw, critical_results: store.critical_results },
      alarms: alarms.map((alarm) => ({ ...alarm, since: isoOrNull(alarm.since) })),
      versions: { pulsekeep: version, schema: store.schema, database: this.reader.dialect },
    };
  }
}

function accountsOf(counts: readonly StatusCount[]): OverviewDto['accounts'] {
  const known = { pending: 0, active: 0, blocked: 0, erasing: 0 };
  return { ...known, ...Object.fromEntries(counts.map(({ status, count }) => [status, count])) };
}

function inboxOf({ waiting, dead, oldestWaitingAt, lastReceivedAt }: InboxFigures, now: number): OverviewDto['inbox'] {
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
    historical_pulls: { failed: store.pulls_failed, retrying: store.pulls_retrying },
  };
}

function seconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1_000));
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}
