import type { LinkState } from './link-state.js';

/** Attempts that are alike. */
export interface AttemptCount {
  readonly state: LinkState;
  /** 1 when a connection came. */
  readonly confirmed: number;
  readonly error: string | null;
  /** The provider that came, or was asked for. */
  readonly source: string | null;
  readonly total: number;
  /** Those of the total that are young. */
  readonly lately: number;
}

export type LinkCounts = Record<LinkState | 'issued' | 'confirmed', number>;

/** How many linking attempts there were, and how they ended. */
export interface LinkFunnel {
  /** Of the last 24 hours. */
  readonly day: LinkCounts;
  /** Of the last 7 days, as what follows. */
  readonly week: LinkCounts;
  /** The most frequent reasons, most frequent first. */
  readonly errors: readonly { readonly error_type: string; readonly count: number }[];
  /** The providers most often asked for or connected; null where the person had not chosen any. */
  readonly providers: readonly (LinkCounts & { readonly provider: string | null })[];
}

const topFew = 5;

function noCounts(): LinkCounts {
  return { issued: 0, success: 0, confirmed: 0, exit: 0, error: 0, open: 0, expired: 0 };
}

/** Sums up what the store counted. */
export function linkFunnel(counts: readonly AttemptCount[]): LinkFunnel {
  const day = noCounts();
  const week = noCounts();
  const errors = new Map<string, number>();
  const providers = new Map<string | null, LinkCounts>();
  for (const alike of counts) {
    add(day, alike, alike.lately);
    add(week, alike, alike.total);
    if (alike.error !== null) errors.set(alike.error, (errors.get(alike.error) ?? 0) + alike.total);
    const ofProvider = providers.get(alike.source) ?? noCounts();
    providers.set(alike.source, ofProvider);
    add(ofProvider, alike, alike.total);
  }
  return {
    day,
    week,
    errors: top(
      [...errors].map(([error_type, count]) => ({ error_type, count })),
      ({ count }) => count,
    ),
    providers: top(
      [...providers].map(([provider, all]) => ({ provider, ...all })),
      ({ issued }) => issued,
    ),
  };
}

function add(counts: LinkCounts, { state, confirmed }: AttemptCount, number: number): void {
  counts.issued += number;
  counts[state] += number;
  if (confirmed === 1) counts.confirmed += number;
}

function top<T>(all: T[], size: (one: T) => number): T[] {
  return all.sort((a, b) => size(b) - size(a)).slice(0, topFew);
}
