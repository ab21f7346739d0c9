import type { Ids, Rng } from '../engine/random.js';
import { DAY, formatTime, SECOND, startOfDay } from '../engine/times.js';
import type { SeriesResource, SummaryResource } from '../facts/catalogue.js';
import { isFloating, sourceTypesOf } from '../facts/providers.js';
import type { Connections } from '../users/connections.js';
import type { User } from '../users/user.js';
import type { SummaryWrite } from './health-data.js';
import type { Point, PointValue } from './points.js';
import { MAKERS, type Making } from './summary-makers.js';

export interface Stretch {
  provider: string;
  days: number;
  perDay: number;
  /** Data ends before the day of this instant; with `soFar`, at this instant. */
  end: number;
  soFar?: boolean;
  /** Rows that are there already stay as they are. */
  isAdded?: boolean;
  /**
   * Days and nights of a person whose clock always has this offset in seconds; default: days of UTC, several offsets.
   */
  utcOffset?: number | undefined;
}

const HOME_OFFSETS = [-18_000, 3600, 0, 19_800, -25_200];
const TRAVEL_OFFSET = 32_400;

/**
 * Deterministic series and summaries: they depend only on the seed, the client id, the source, the resource and the
 * day.
 */
export class Generator {
  constructor(
    private readonly ids: Ids,
    private readonly connections: Connections,
  ) {}

  points(user: User, resource: SeriesResource, stretch: Stretch): Point[] {
    const shift = (stretch.utcOffset ?? 0) * SECOND;
    return this.days(stretch)
      .flatMap((day) => this.pointsOfDay(user, resource, stretch, day))
      .map((point) => ({ ...point, start: point.start - shift, end: point.end === null ? null : point.end - shift }))
      .filter(({ start, end }) => (end ?? start) <= stretch.end);
  }

  summaries(user: User, resource: SummaryResource, stretch: Stretch): SummaryWrite[] {
    if (resource.name === 'profile') return [this.summary(user, resource, stretch, { day: 0, index: 0 })];
    return this.days(stretch)
      .flatMap((day) =>
        Array.from({ length: stretch.perDay }, (_, index) => this.summary(user, resource, stretch, { day, index })),
      )
      .map((summary) => ({ ...summary, fields: shifted(summary.fields, (stretch.utcOffset ?? 0) * SECOND) }))
      .filter(
        ({ fields }) =>
          !(Date.parse(String(fields['bedtime_stop'] ?? fields['time_end'] ?? fields['session_end'])) > stretch.end),
      );
  }

  /** A value of the resource that differs from `previous`. */
  otherValue(resource: SeriesResource, previous: PointValue, salt: string): PointValue {
    const rng = this.ids.rng('other', resource.name, salt);
    if (typeof previous === 'string') return `${previous} (edited)`;
    if (typeof previous === 'object') return { ...previous, systolic: previous.systolic + rng.int(1, 7) };
    return Number((previous + rng.float(0.5, 3, Math.max(resource.range[2], 1))).toFixed(4));
  }

  private days({ end, days, soFar = false, utcOffset = 0 }: Stretch): number[] {
    const last = startOfDay(end + utcOffset * SECOND);
    const count = days + (soFar ? 1 : 0);
    return Array.from({ length: count }, (_, index) => last - (days - index) * DAY);
  }

  private pointsOfDay(user: User, resource: SeriesResource, stretch: Stretch, day: number): Point[] {
    const rng = this.ids.rng('points', user.client_user_id, stretch.provider, resource.name, day);
    const slot = Math.floor(DAY / SECOND / stretch.perDay);
    return Array.from({ length: stretch.perDay }, (_, index) => {
      const length = rng.int(Math.max(1, Math.floor(slot / 8)), Math.max(1, Math.floor(slot / 2)));
      const start = day + (index * slot + rng.int(0, Math.max(0, slot - length - 1))) * SECOND;
      return this.point(user, resource, stretch.provider, { rng, start, length, utcOffset: stretch.utcOffset });
    });
  }

  private point(
    user: User,
    resource: SeriesResource,
    provider: string,
    spot: { rng: Rng; start: number; length: number; utcOffset: number | undefined },
  ): Point {
    const { rng, start, length, utcOffset } = spot;
    const sourceType = rng.pick(sourceTypesOf(provider));
    const interval = resource.family === 'interval' || resource.family === 'text';
    return {
      provider,
      sourceType,
      deviceId: rng.chance(0.7) ? (this.connections.findDevice(user.user_id, provider, sourceType)?.id ?? null) : null,
      workoutId: resource.name.startsWith('workout_') ? this.workoutId(user, start) : null,
      sport: resource.name.startsWith('workout_') ? 'running' : null,
      type: resource.types.length > 0 ? rng.pick(resource.types) : null,
      start,
      end: interval ? start + length * SECOND : null,
      offset: this.offset(user, { provider, utcOffset }, rng),
      value: this.value(resource, rng),
      extras: this.extras(resource, rng),
    };
  }

  private workoutId(user: User, start: number): string {
    return this.ids.stableUuid('workout', user.client_user_id, startOfDay(start));
  }

  private offset(
    user: User,
    { provider, utcOffset }: Pick<Stretch, 'provider' | 'utcOffset'>,
    rng: Rng,
  ): number | null {
    if (utcOffset !== undefined) return utcOffset;
    if (isFloating(provider) || rng.chance(0.1)) return null;
    if (rng.chance(0.05)) return TRAVEL_OFFSET;
    return this.ids.rng('home', user.client_user_id).pick(HOME_OFFSETS);
  }

  private value(resource: SeriesResource, rng: Rng): PointValue {
    if (resource.family === 'pair') return { systolic: rng.int(101, 149), diastolic: rng.int(61, 94) };
    if (resource.family === 'text')
      return rng.pick(['synthetic note', 'second synthetic note', 'note: a "quoted" word']);
    return rng.float(...resource.range);
  }

  private extras(resource: SeriesResource, rng: Rng): Record<string, unknown> {
    switch (resource.name) {
      case 'body_temperature':
      case 'body_temperature_delta':
        return { sensor_location: rng.pick(['wrist', 'ear', null]) };
      case 'insulin_injection':
        return { delivery_mode: rng.pick(['basal', 'bolus', null]), delivery_form: 'standard', bolus_purpose: null };
      case 'note':
        return { tags: rng.pick([['food'], ['exercise', 'unspecified'], null]) };
      case 'workout_duration':
        return { intensity: rng.pick(['low', 'medium', 'high', null]) };
      default:
        return {};
    }
  }

  /** One generated summary. Its id depends on the same facts as its content. */
  summary(
    user: User,
    resource: Pick<SummaryResource, 'name'>,
    source: Pick<Stretch, 'provider' | 'utcOffset'>,
    spot: { day: number; index: number },
  ): SummaryWrite {
    const parts = [user.client_user_id, source.provider, resource.name, spot.day, spot.index] as const;
    const rng = this.ids.rng('summary', ...parts);
    const sourceType = sourceTypesOf(source.provider)[0] ?? 'unknown';
    const offset = this.offset(user, source, rng);
    const uuid = (): string => this.ids.stableUuid('related', ...parts);
    const sleep = (): ReturnType<Making['sleep']> => {
      const { id = '', fields } = this.summary(user, { name: 'sleep' }, source, spot);
      const [start, end] = [fields['bedtime_start'], fields['bedtime_stop']].map((time) => Date.parse(String(time)));
      return { id, start: start ?? 0, end: end ?? 0 };
    };
    return {
      id: this.ids.stableUuid('summary', ...parts),
      provider: source.provider,
      sourceType,
      deviceId: this.connections.findDevice(user.user_id, source.provider, sourceType)?.id ?? null,
      fields: MAKERS[resource.name]({ rng, ...spot, offset, uuid, sleep }),
    };
  }
}

const timesOfSummaries = ['bedtime', 'time', 'session'].flatMap((name) => [
  `${name}_start`,
  `${name}_stop`,
  `${name}_end`,
]);

/** The fields with their times earlier by `shift` milliseconds. */
function shifted(fields: SummaryWrite['fields'], shift: number): SummaryWrite['fields'] {
  if (shift === 0) return fields;
  const moved = { ...fields };
  for (const name of timesOfSummaries) {
    const time = fields[name];
    if (typeof time === 'string') moved[name] = formatTime(Date.parse(time) - shift);
  }
  return moved;
}
