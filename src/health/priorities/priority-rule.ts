import type { Resource } from '../catalogue/catalogue.js';

/*
 * Order of the sources of one account. The first list that exists applies, and no other: that of the account, the
 * deployment, or upstream. Sources missing from the list come last: devices before apps and phones, then by name, so
 * that the order is the same every day. Of measures, what is made for one comes first, such as a cuff for blood
 * pressure, and what measures only for a moment or a session comes after other devices.
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
/** Those that measure only for a moment or a session, such as a heart rate while the pressure is taken. */
const momentTypes = [
  'chest_strap',
  'cuff',
  'earphone',
  'exercise_machine',
  'fingerprick',
  'lab',
  'manual_scan',
  'scale',
];

type Ranking = Pick<Resource, 'statistics' | 'instrument'>;

/** The sources, best first. */
export function rankSources<S extends RankedSource>(
  order: readonly PreferredSource[],
  sources: readonly S[],
  { statistics, instrument }: Ranking = { statistics: null, instrument: null },
): S[] {
  const placeOf = ({ provider, sourceType }: RankedSource): number => {
    const place = order.findIndex((one) => one.provider === provider && (one.type ?? sourceType) === sourceType);
    return place === -1 ? order.length : place;
  };
  /** One source stands for the day of a measure, so one that measures all day comes first. */
  const typeOf = ({ sourceType }: RankedSource): number => {
    if (sourceType === instrument) return 0;
    if (statistics === 'measure' && momentTypes.includes(sourceType)) return 2;
    const last = lastTypes.indexOf(sourceType);
    return last === -1 ? 1 : 3 + last;
  };
  return [...sources].sort(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      typeOf(a) - typeOf(b) ||
      compare(a.provider, b.provider) ||
      compare(a.sourceType, b.sourceType),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
