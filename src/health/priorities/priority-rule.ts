import type { Resource } from '../catalogue/catalogue.js';

/*
 * Order of the sources of one account. The first list that exists decides, complete: the account's, the deployment's,
 * upstream's. A source that the list does not name comes after all that it names: what a device measured before what
 * an app or a phone counted, then by name, so that the order is the same every day.
 */

/** What samples or summaries of one origin have in common: a provider and its type of source. */
export interface RankedSource {
  readonly provider: string;
  readonly sourceType: string;
}

/** An entry of a list of priorities: a type of source of a provider, or all of them where `type` is null. */
export interface PreferredSource {
  readonly provider: string;
  readonly type: string | null;
}

/** Names of upstream's lists (docs/upstream/connections.md#source-priorities); a summary that has none is its own. */
export const listedDataTypes = ['workouts', 'activity', 'sleep', 'body', 'timeseries'] as const;

const sameList: Readonly<Record<string, string>> = { workout_stream: 'workouts', sleep_cycle: 'sleep' };

/** The list of priorities that a resource follows. */
export function dataTypeOf({ name, family }: Pick<Resource, 'name' | 'family'>): string {
  if (family === 'summary' || family === 'stream') return sameList[name] ?? name;
  return 'timeseries';
}

/** Types of source that measure nothing on the body, the better ones first. */
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
