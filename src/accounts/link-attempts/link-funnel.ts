import type { LinkState } from './link-state.js';

/** Number of attempts with the same values. */
export interface AttemptCount {
  readonly state: LinkState;
  /** 1 if a connection confirmed them. */
  readonly confirmed: number;
  readonly error: string | null;
  /** The connected provider, or else the requested one. */
  readonly source: string | null;
  readonly total: number;
}

export type LinkCounts = Record<LinkState | 'issued' | 'confirmed', number>;

/** Frequent values among attempts, most frequent first. */
export interface FrequentInLinks {
  readonly errors: readonly { readonly error_type: string; readonly count: number }[];
  /** Null if the person had not chosen one. */
  readonly providers: readonly (LinkCounts & { readonly provider: string | null })[];
}

const TOP_COUNT = 5;

export function noCounts(): LinkCounts {
  return { issued: 0, success: 0, confirmed: 0, exit: 0, error: 0, open: 0, expired: 0 };
}

/** The most frequent error types, and the providers most often requested or connected. */
export function frequentIn(counts: readonly AttemptCount[]): FrequentInLinks {
  const errors = new Map<string, number>();
  const providers = new Map<string | null, LinkCounts>();
  for (const alike of counts) {
    if (alike.error !== null) errors.set(alike.error, (errors.get(alike.error) ?? 0) + alike.total);
    const ofProvider = providers.get(alike.source) ?? noCounts();
    providers.set(alike.source, ofProvider);
    add(ofProvider, alike);
  }
  return {
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

function add(counts: LinkCounts, { state, confirmed, total }: AttemptCount): void {
  counts.issued += total;
  counts[state] += total;
  if (confirmed === 1) counts.confirmed += total;
}

function top<T>(all: T[], size: (one: T) => number): T[] {
  return all.sort((a, b) => size(b) - size(a)).slice(0, TOP_COUNT);
}
