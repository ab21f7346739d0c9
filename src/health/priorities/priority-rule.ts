import type { Resource } from '../catalogue/catalogue.js';

/*
 * Order of the sources of one account. The first list that exists applies, and no other: that of the account, the
 * deployment, or upstream. Sources missing from the list come last: devices before apps and phones, then by name, so
 * that the order is the same every day.
 */

/** Origin of samples or summaries: a provider and its source type. */
export interface RankedSource {
  readonly provider: string;
  readonly sourceType: string;
}

/** An entry of a priority list: a provider and one of its source types, or all of them if `type` is null. */
export interface PreferredSource {
  readonly provider: string;
  readonly type: string | null;
}

/** Upstream's lists (docs/upstream/connections.md#source-priorities). Every other summary has a list of its own. */
export const listedDataTypes = ['workouts', 'activity', 'sleep', 'body', 'timeseries'] as const;

const sameList: Readonly<Record<string, string>> = { workout_stream: 'workouts', sleep_cycle: 'sleep' };

/** Data type whose priority list applies to a resource. */
export function dataTypeOf({ name, family }: Pick<Resource, 'name' | 'family'>): string {
  if (family === 'summary' || family === 'stream') return sameList[name] ?? name;
  return 'timeseries';
}

/** Source types that measure nothing on the body, best first. */
const lastTypes = ['multiple_sources', 'app', 'phone', 'unknown'];

/** The sources, best first. */
export function rankSources<S extends RankedSource>(order: readonly PreferredSource[], sources: readonly S[]): S[] {
  const placeOf = ({ provider, sourceType }: RankedSource): number => {
    const place = order.findIndex((one) => one.provider === provider && (one.type ?? sourceType) === sourceType);
    return place === -1 ? order.length : place;
  };
  return [...sources].sort(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      lastTypes.indexOf(a.sourceType) - lastTypes.indexOf(b.sourceType) ||
      compare(a.provider, b.provider) ||
      compare(a.sourceType, b.sourceType),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
