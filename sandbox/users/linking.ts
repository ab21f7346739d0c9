import type { Generator, Stretch } from '../data/generate.js';
import type { HealthData, Written } from '../data/health-data.js';
import { DEFAULT_RESOURCES, type Pull, type PullPlan, type Pulls } from '../data/pulls.js';
import type { Timeline } from '../engine/timeline.js';
import { DAY } from '../engine/times.js';
import { eventName, findSeries, findSummary } from '../facts/catalogue.js';
import type { Connections } from './connections.js';
import { type LinkToken, type LinkTokens, redirectTarget } from './link-tokens.js';
import type { Connection, HistoryOptions, User } from './user.js';

export interface LinkOptions {
  resources?: string[];
  not_pulled?: string[];
  /** Resources that the person denies: the connection lists them, and they are not pulled. */
  denied?: string[];
  history?: HistoryOptions;
  devices?: boolean;
  external_user_id?: string;
  pulls?: Record<string, PullPlan>;
  notify?: boolean;
  demo?: boolean;
}

export interface LinkOutcome {
  state: 'success' | 'error';
  error_type?: string;
  error?: string;
  redirect_to: string | null;
  user_id?: string;
}

export interface LinkChoice {
  provider?: string;
  outcome?: string;
  findUser: (id: string) => User | undefined;
  /** True if another user of the team has the credential and the team enabled this check. */
  isHeldByAnother: (user: User, provider: string, externalUserId: string | undefined) => boolean;
}

interface Sources {
  data: HealthData;
  generator: Generator;
  pulls: Pulls;
}

function toEventNames(names: readonly string[]): string[] {
  return names.map((name) => eventName(name) ?? name);
}

/** Connects a user to a provider: the connection, history at the provider, and its pulls. */
export class Linking {
  constructor(
    private readonly timeline: Timeline,
    private readonly connections: Connections,
    private readonly tokens: LinkTokens,
    private readonly sources: Sources,
  ) {}

  connect(user: User, provider: string, options: LinkOptions): { connection: Connection; pulls: Pull[] } {
    const { pulls } = this.sources;
    const wanted = options.resources;
    const resources = toEventNames(wanted ?? pulls.resourcesFor(user, provider));
    const denied = toEventNames(options.denied ?? []);
    const connection = this.connections.connect(user, provider, {
      resources,
      denied,
      ...(options.external_user_id === undefined ? {} : { externalUserId: options.external_user_id }),
      devices: options.devices ?? true,
      demo: options.demo ?? false,
      ...(options.history && { history: options.history }),
      notify: options.notify ?? true,
    });
    if (options.history !== undefined) this.fillHistory(user, provider, wanted ?? DEFAULT_RESOURCES, options.history);
    const skipped = [...toEventNames(options.not_pulled ?? []), ...denied];
    pulls.skip(user.user_id, provider, skipped);
    const scheduled = resources
      .filter((resource) => !skipped.includes(resource))
      .map((resource) => pulls.schedule(user, provider, resource, this.planOf(options.pulls, resource)));
    return { connection, pulls: scheduled };
  }

  /** What the sources of a user have recorded since then; what was there before stays as it is. */
  catchUp(user: User, since: number): void {
    const end = this.timeline.now();
    for (const { provider, status, resources, history } of user.connections.values()) {
      if (history === null || status !== 'connected') continue;
      const { days: most, per_day, so_far: soFar = false, utc_offset: utcOffset } = history;
      const days = Math.min(most, Math.ceil((end - since) / DAY) + 1);
      for (const resource of resources) {
        const perDay = findSummary(resource) === undefined ? per_day : 1;
        this.generate(user, resource, { provider, days, perDay, end, soFar, utcOffset, isAdded: true }, true);
      }
    }
  }

  /** Generates rows of a source, which stay hidden until its pull succeeds. Null for an unknown resource. */
  generate(user: User, resource: string, stretch: Stretch, notify: boolean): (Written & { visible: boolean }) | null {
    const { data, generator, pulls } = this.sources;
    const pull = pulls.find(user.user_id, stretch.provider, eventName(resource) ?? resource);
    const visible = pull?.status === 'success';
    const mode = { hidden: !visible, notify: notify && visible, isAdded: stretch.isAdded ?? false };
    const series = findSeries(resource);
    if (series !== undefined) {
      return { ...data.writePoints(user, series, generator.points(user, series, stretch), mode), visible };
    }
    const summary = findSummary(resource);
    if (summary === undefined) return null;
    return { ...data.writeSummaries(user, summary, generator.summaries(user, summary, stretch), mode), visible };
  }

  /**
   * Actions of the widget with a token; a failure leaves the token usable
   * (docs/upstream/linking-and-tokens.md#single-use).
   */
  withToken(tokenText: string, choice: LinkChoice, options: LinkOptions): LinkOutcome {
    const token = this.tokens.check(tokenText);
    if (typeof token === 'string')
      return { state: 'error', error_type: token, error: 'The link is no longer usable.', redirect_to: null };
    const user = choice.findUser(token.user_id);
    const refused = user === undefined ? 'invalid_token' : (choice.outcome ?? 'success');
    if (user === undefined || refused !== 'success') return this.failed(token, refused);
    const provider = choice.provider ?? token.provider ?? 'oura';
    if (choice.isHeldByAnother(user, provider, options.external_user_id)) {
      return this.failed(token, 'duplicate_connection');
    }
    token.consumed = true;
    this.connect(user, provider, options);
    return { state: 'success', redirect_to: redirectTarget(token, null), user_id: user.user_id };
  }

  private failed(token: LinkToken, type: string): LinkOutcome {
    const text = 'The connection was not made.';
    return { state: 'error', error_type: type, error: text, redirect_to: redirectTarget(token, { type, text }) };
  }

  private fillHistory(user: User, provider: string, resources: readonly string[], history: HistoryOptions): void {
    for (const resource of resources) {
      const perDay = findSummary(resource) === undefined ? history.per_day : 1;
      const { days, so_far: soFar = false, utc_offset: utcOffset } = history;
      const stretch = { provider, days, perDay, end: this.timeline.now(), soFar, utcOffset };
      this.generate(user, resource, stretch, false);
    }
  }

  private planOf(plans: Record<string, PullPlan> | undefined, resource: string): PullPlan {
    const byEventName = Object.entries(plans ?? {}).find(([name]) => (eventName(name) ?? name) === resource);
    return byEventName?.[1] ?? plans?.['*'] ?? {};
  }
}
