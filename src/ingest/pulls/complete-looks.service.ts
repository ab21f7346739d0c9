import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import {
  ConnectionsService,
  isSteadySource,
  type SteadySource,
} from '../../accounts/connections/connections.service.js';
import { hasFloatingTime } from '../../accounts/connections/provider-facts.js';
import { hasNoWindow, type Resource } from '../../health/catalogue/catalogue.js';
import type { Records } from '../../health/catalogue/records.js';
import { MissingRecords } from '../../health/gone/missing-records.service.js';
import { firstObservationAt } from '../../health/records/observation-ids.js';
import { DeletionsConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { PullTaskEntity } from './pull-task.entity.js';

/*
 * Absence from a complete look is the only evidence that upstream no longer has a record, so a pull is a complete look
 * only without any reason for doubt:
 *
 * - It read one resource of one account, from the first page to the last, within one turn of its first claim: no
 *   earlier attempt, no continuation, no restart, no rejected record and no repeated page.
 * - The judged records ended before the first page was requested, and lie clearly inside the window.
 * - Their source is connected and not in error. Neither the upstream user nor, if the pull was for one source, the
 *   source changed during the look.
 * - The system clock was not set during the look.
 *
 * A look is in memory only, so a pull that continues after a crash is never one.
 */

/** Larger differences between the wall clock and the monotonic clock mean that the wall clock was set. */
const CLOCK_TOLERANCE_MS = 1_000;

/** Upstream may select a summary by its day or its start, and does not document whether a window includes its ends. */
const SUMMARY_MARGIN_MS = 2 * DAY_MS;
const SAMPLE_MARGIN_MS = 1_000;
/** Upstream may select records with local times by their true instant. */
const FLOATING_MARGIN_MS = DAY_MS;

/** A pull that may become a complete look. */
export interface OpenLook {
  readonly startedAt: number;
  readonly monotonic: number;
  readonly account: Account;
  /** Null for a pull over every source. */
  readonly source: SteadySource | null;
  readonly summaryIds: Set<string>;
}

/** Detects complete looks and passes them on, so that the records missing from them are judged. */
@Injectable()
export class CompleteLooks {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly missing: MissingRecords,
    private readonly config: DeletionsConfig,
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  /** Call before the first page is requested; null if the pull cannot become a complete look. */
  async begin(task: PullTaskEntity, resource: Resource, account: Account): Promise<OpenLook | null> {
    const isFirst = task.turns === 1 && task.restarts === 0 && task.pages === 0 && task.next_cursor === null;
    if (!isFirst || hasNoWindow(resource) || this.config.modes.of(task.provider) === 'off') return null;
    const source =
      task.provider === '' ? null : await this.connections.steady(this.reader, task.account_id, task.provider);
    if (task.provider !== '' && source === null) return null;
    const times = { startedAt: this.clock.now(), monotonic: this.clock.monotonic() };
    return { ...times, account, source, summaryIds: new Set() };
  }

  /** Call for every page. An older version of a summary does not change the stored row, so its id is noted here. */
  note(look: OpenLook, { summaries }: Records): void {
    for (const { summaryId } of summaries) look.summaryIds.add(summaryId);
  }

  /** Call after the task was finished in the turn that began the look. */
  async end(look: OpenLook, task: PullTaskEntity, resource: Resource): Promise<void> {
    const passed = this.clock.now() - look.startedAt;
    const isSteadyClock = Math.abs(passed - (this.clock.monotonic() - look.monotonic)) <= CLOCK_TOLERANCE_MS;
    if (!isSteadyClock || task.status !== 'done' || task.rejected > 0 || task.repeated_pages > 0) return;
    const { account, source, startedAt, summaryIds } = look;
    const { start, end } = judgedRange(look, task, resource);
    if (start > end) return;
    const connected = source === null ? await this.connectedSince(account.id) : null;
    await this.missing.judge({
      account: account.id,
      provider: task.provider,
      resource,
      task: task.id,
      ...{ start, end, startedAt, summaryIds },
      startMark: firstObservationAt(startedAt),
      seenAfter: firstObservationAt(Math.max(account.relinked_at ?? 0, source?.connectedAt ?? 0)),
      shown: task.records,
      judges: ({ provider, observation }) => !connected || observation >= (connected.get(provider) ?? Infinity),
      isSteady: (tx) => this.isSteady(tx, look, task),
    });
  }

  /** For each source that is connected and not in error, the first observation that can belong to its connection. */
  private async connectedSince(account: number): Promise<Map<string, number>> {
    const connections = (await this.connections.list(account)).filter(isSteadySource);
    return new Map(connections.map((one) => [one.provider, firstObservationAt(one.connected_at ?? 0)]));
  }

  private async isSteady(tx: Tx, look: OpenLook, task: PullTaskEntity): Promise<boolean> {
    const account = await this.accounts.findById(task.account_id, tx);
    const { upstream_user_id: user } = look.account;
    if (!account || account.upstream_user_id !== user || account.user_gone_at !== null) return false;
    if (account.status !== 'active' && account.status !== 'blocked') return false;
    if (look.source === null) return true;
    const now = await this.connections.steady(tx, task.account_id, task.provider);
    return now?.lastChange === look.source.lastChange && now.connectedAt === look.source.connectedAt;
  }
}

/** A look certainly covers a stored record whose interval lies completely inside this range. */
function judgedRange({ startedAt }: OpenLook, task: PullTaskEntity, resource: Resource): TimeRange {
  const margin = lookMargin(task.provider, resource);
  return {
    start: task.window_start + margin,
    end: Math.min(task.window_end, startedAt) - margin,
  };
}

/** Minimum distance in milliseconds of a judged record from the ends of the window. */
export function lookMargin(provider: string, { family }: Resource): number {
  if (family === 'summary') return SUMMARY_MARGIN_MS;
  return hasFloatingTime(provider) ? FLOATING_MARGIN_MS : SAMPLE_MARGIN_MS;
}
