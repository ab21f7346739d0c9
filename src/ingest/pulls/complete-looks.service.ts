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
import { firstObservationAt, MissingRecords } from '../../health/health-data/missing-records.service.js';
import { DeletionsConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { PullTaskEntity } from './pull-task.entity.js';

/*
 * A pull is a complete look if nothing at all speaks against it, because absence in a complete look is the only
 * evidence that upstream no longer has a record:
 *
 * - one account, one source and one resource, from the first page to the last within one turn of one claim: no earlier
 *   attempt, no continuation, no restart, nothing rejected and no page twice;
 * - what is judged ended before the first page was requested, and lies clearly inside the window;
 * - the source is connected and not in error, and neither it nor the upstream user changed during the look;
 * - the machine's clock was not set during the look.
 *
 * A look is held in memory only, so a pull that is continued after a crash can never be one.
 */

/** Of the two clocks; a larger difference is a step of the machine's. */
const CLOCK_TOLERANCE_MS = 1_000;

/** Upstream may place a summary by its day or its start, and the ends of a window are not documented. */
const SUMMARY_MARGIN_MS = 2 * DAY_MS;
const SAMPLE_MARGIN_MS = 1_000;
/** Times that are local may be placed by their true instant. */
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

/** Notices which pulls are complete looks, and has the records judged that they did not show. */
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

  /** A summary may be shown in an older version than the stored one, which then keeps its observation. */
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

  /** For each source that is connected and not in error, the first observation that can be of its connection. */
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

/** Range that must contain the whole interval of a stored record for a look to have shown it for certain. */
function judgedRange({ startedAt }: OpenLook, task: PullTaskEntity, resource: Resource): TimeRange {
  const margin = lookMargin(task.provider, resource);
  return {
    start: task.window_start + margin,
    end: Math.min(task.window_end, startedAt) - margin,
  };
}

/** How far inside a window a record must lie. */
export function lookMargin(provider: string, { family }: Resource): number {
  if (family === 'summary') return SUMMARY_MARGIN_MS;
  return hasFloatingTime(provider) ? FLOATING_MARGIN_MS : SAMPLE_MARGIN_MS;
}
