/**
 * Historical pulls, one per user, provider and resource (docs/upstream/introspection.md#historical-pulls).
 *
 * scheduled -> in_progress            after pull_start_seconds
 * in_progress -> retrying             while planned retries are left; error_details says why
 * retrying -> in_progress             after pull_retry_seconds
 * in_progress -> success              rows become visible, `historical.data.R.created` fires
 * in_progress -> failure              no event; rows stay hidden until a later pull succeeds
 *
 * A connection that is gone or broken ends the pull as failure.
 */
import type { Ids } from '../engine/random.js';
import type { Settings } from '../engine/settings.js';
import type { Timeline } from '../engine/timeline.js';
import { DAY, formatTime } from '../engine/times.js';
import { eventName, findSeries, SERIES_NAMES, SUMMARY_NAMES } from '../facts/catalogue.js';
import type { User } from '../users/user.js';
import type { Events } from '../webhooks/events.js';
import type { HealthData } from './health-data.js';

export type PullStatus = 'scheduled' | 'in_progress' | 'retrying' | 'success' | 'failure';

export interface PullPlan {
  outcome?: 'success' | 'failure';
  retries?: number;
  error?: string;
  /** The pull succeeds without finding anything; hidden rows stay hidden. */
  empty?: boolean;
}

export interface Pull {
  userId: string;
  provider: string;
  /** Event name. */
  resource: string;
  status: PullStatus;
  scheduledAt: number;
  startedAt: number | null;
  endedAt: number | null;
  rangeStart: number | null;
  rangeEnd: number | null;
  daysWithData: number;
  traceId: string;
  error: string | null;
}

const RELEASE = 'sandbox-1';
const DEFAULT_RANGE_DAYS = 90;
export const DEFAULT_RESOURCES: readonly string[] = ['sleep', 'mindfulness_minutes', 'blood_pressure'];

interface Running {
  pull: Pull;
  user: User;
  plan: PullPlan;
  retriesLeft: number;
}

/** Path name for an event name; rows are stored under it. */
function storeName(resource: string): string {
  return findSeries(resource)?.name ?? resource;
}

export class Pulls {
  private pulls = new Map<string, Pull>();
  private notPulled = new Map<string, string[]>();

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly settings: Settings,
    private readonly events: Events,
    private readonly data: HealthData,
  ) {}

  /** For a restart (state.ts). */
  keep(): { pulls: Map<string, Pull>; notPulled: Map<string, string[]> } {
    return { pulls: this.pulls, notPulled: this.notPulled };
  }

  restore({ pulls, notPulled }: { pulls: Map<string, Pull>; notPulled: Map<string, string[]> }): void {
    this.pulls = pulls;
    this.notPulled = notPulled;
  }

  /** Begins open pulls again; their plans are lost. */
  resume(findUser: (id: string) => User | undefined): void {
    for (const pull of this.pulls.values()) {
      const user = findUser(pull.userId);
      if (pull.status === 'success' || pull.status === 'failure' || user === undefined) continue;
      this.timeline.after(this.settings.pull_start_seconds, () => this.start({ pull, user, plan: {}, retriesLeft: 0 }));
    }
  }

  /** Default resources of a new connection: the usual three, and all whose rows wait for a pull. */
  resourcesFor(user: User, provider: string): string[] {
    const waiting = [...SERIES_NAMES, ...SUMMARY_NAMES].filter(
      (name) => this.data.hiddenTimes(user.user_id, name, provider).length > 0,
    );
    return [...new Set([...DEFAULT_RESOURCES, ...waiting].flatMap((name) => eventName(name) ?? []))];
  }

  /** Schedules the pull of one resource (event name); a later one replaces it. */
  schedule(user: User, provider: string, resource: string, plan: PullPlan): Pull {
    const pull: Pull = {
      userId: user.user_id,
      provider,
      resource,
      status: 'scheduled',
      scheduledAt: this.timeline.now(),
      startedAt: null,
      endedAt: null,
      rangeStart: null,
      rangeEnd: null,
      daysWithData: 0,
      traceId: this.ids.uuid('trace', user.user_id, provider, resource).replaceAll('-', ''),
      error: null,
    };
    this.pulls.set(`${user.user_id}|${provider}|${resource}`, pull);
    const running = { pull, user, plan, retriesLeft: plan.retries ?? 0 };
    this.timeline.after(this.settings.pull_start_seconds, () => this.start(running));
    return pull;
  }

  skip(userId: string, provider: string, resources: string[]): void {
    this.notPulled.set(`${userId}|${provider}`, resources);
  }

  skipped(userId: string, provider: string): string[] {
    return this.notPulled.get(`${userId}|${provider}`) ?? [];
  }

  find(userId: string, provider: string, resource: string): Pull | undefined {
    return this.pulls.get(`${userId}|${provider}|${resource}`);
  }

  of(userId: string): Pull[] {
    return [...this.pulls.values()].filter((pull) => pull.userId === userId);
  }

  counts(): { open: number; success: number; failure: number } {
    const counts = { open: 0, success: 0, failure: 0 };
    for (const { status } of this.pulls.values()) {
      if (status === 'success' || status === 'failure') counts[status] += 1;
      else counts.open += 1;
    }
    return counts;
  }

  toWire(pull: Pull): Record<string, unknown> {
    const time = (at: number | null): string | null => (at === null ? null : formatTime(at));
    return {
      status: pull.status,
      timeline: {
        scheduled_at: formatTime(pull.scheduledAt),
        started_at: time(pull.startedAt),
        ended_at: time(pull.endedAt),
      },
      range_start: time(pull.rangeStart),
      range_end: time(pull.rangeEnd),
      days_with_data: pull.daysWithData,
      release: RELEASE,
      trace_id: pull.traceId,
      error_details: pull.error,
    };
  }

  private start(running: Running): void {
    const { pull, user } = running;
    const now = this.timeline.now();
    const earliest = this.data.hiddenTimes(user.user_id, storeName(pull.resource), pull.provider);
    pull.status = 'in_progress';
    pull.startedAt ??= now;
    pull.endedAt = null;
    pull.rangeEnd = now;
    pull.rangeStart = earliest.reduce((low, at) => Math.min(low, at), now - DEFAULT_RANGE_DAYS * DAY);
    this.timeline.after(this.settings.pull_duration_seconds, () => this.finish(running));
  }

  private finish(running: Running): void {
    const { pull, user, plan } = running;
    pull.endedAt = this.timeline.now();
    if (running.retriesLeft > 0) {
      running.retriesLeft -= 1;
      pull.status = 'retrying';
      pull.error = plan.error ?? 'provider_rate_limit_exceeded';
      this.timeline.after(this.settings.pull_retry_seconds, () => this.start(running));
      return;
    }
    const connected = user.connections.get(pull.provider)?.status === 'connected';
    if (plan.outcome === 'failure' || !connected) this.fail(pull, plan);
    else this.succeed(pull, user, plan);
  }

  private fail(pull: Pull, plan: PullPlan): void {
    pull.status = 'failure';
    pull.error = plan.retries === undefined ? (plan.error ?? 'non_retriable_error') : 'retry_quota_exhausted';
  }

  private succeed(pull: Pull, user: User, plan: PullPlan): void {
    pull.status = 'success';
    pull.error = null;
    if (plan.empty !== true) {
      pull.daysWithData = this.data.reveal(user.user_id, storeName(pull.resource), pull.provider);
    }
    this.events.emit(`historical.data.${pull.resource}.created`, user, {
      user_id: user.user_id,
      start_date: formatTime(pull.rangeStart ?? pull.scheduledAt),
      end_date: formatTime(pull.rangeEnd ?? pull.scheduledAt),
      provider: pull.provider,
      is_final: true,
    });
  }
}
