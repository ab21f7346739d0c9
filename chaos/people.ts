import type { Rng } from '../sandbox/engine/random.js';
import { uuidFrom } from '../sandbox/engine/random.js';

export const resources = ['heartrate', 'blood_pressure', 'sleep'] as const;
export type Resource = (typeof resources)[number];

const providers = ['oura', 'fitbit', 'garmin', 'withings'] as const;

const DAY = 86_400_000;
export const historyDays = 6;
/** Samples a day of the history. */
const perDay: Readonly<Record<Exclude<Resource, 'sleep'>, number>> = { heartrate: 48, blood_pressure: 8 };
/**
 * Every value is `(version * identities + number) * drift`, so it shows its version and owner. Upstream may change it
 * slightly.
 */
const identities = 1000;
const drift = 1000;

/** Number of the person who owns the value. */
export function ownerOf(value: number): number {
  return Math.floor(value / drift) % identities;
}

/** Purpose of a person: only data, or one special action. */
export type Fate = 'plain' | 'erased' | 'user_forgotten' | 'connection_forgotten' | 'data_forgotten';

/** A synthetic person whose every value identifies its owner. */
export class Person {
  readonly account: string;
  readonly provider: string;
  /** Upstream's id, once it is known. */
  userId = '';
  /** Linked, so that its data is compared. */
  isLinked = false;
  isErased = false;
  /** Start times of the samples before the connection, by resource. */
  readonly history = new Map<string, readonly number[]>();
  private version = 0;
  private readonly times: Record<Exclude<Resource, 'sleep'>, number[]> = { heartrate: [], blood_pressure: [] };
  private readonly nights: number[] = [];

  constructor(
    readonly number: number,
    readonly fate: Fate,
    private readonly seed: string,
    now: number,
  ) {
    this.account = `person-${String(number).padStart(3, '0')}`;
    this.provider = providers[number % providers.length] ?? providers[0];
    const today = Math.floor(now / DAY) * DAY;
    for (const resource of ['heartrate', 'blood_pressure'] as const) {
      const step = DAY / perDay[resource];
      const first = today - historyDays * DAY;
      this.times[resource] = Array.from({ length: historyDays * perDay[resource] }, (_, index) => first + index * step);
      this.history.set(resource, [...this.times[resource]]);
    }
    for (let back = historyDays; back > 0; back -= 1) this.nights.push(today - back * DAY);
  }

  /** All data from before the person connects. */
  before(resource: Resource): object {
    return this.data(resource, resource === 'sleep' ? this.nights : this.times[resource]);
  }

  /** New values for a range of existing data, and sometimes a new sample, never later than `now`. */
  change(resource: Resource, rng: Rng, count: number, now: number): object {
    if (resource === 'sleep') return this.data(resource, rng.shuffle(this.nights).slice(0, rng.int(1, 4)));
    const times = this.times[resource];
    if (rng.chance(0.2)) {
      const time = Math.floor((now - rng.int(60, 36_000) * 1000) / 1000) * 1000 + 1;
      if (!times.includes(time)) times.push(time);
      times.sort((a, b) => a - b);
    }
    // A short range, as providers send it, so that the pull that follows is short as well.
    const first = rng.int(0, times.length - count);
    return this.data(resource, times.slice(first, first + count));
  }

  private data(resource: Resource, times: readonly number[]): object {
    const value = (++this.version * identities + this.number) * drift;
    const place = { user_id: this.userId, provider: this.provider, resource };
    if (resource === 'sleep') return { ...place, summaries: times.map((time) => this.night(time, value)) };
    const values = resource === 'heartrate' ? { value } : { systolic: value, diastolic: value };
    return { ...place, points: times.map((time) => ({ start: new Date(time).toISOString(), ...values })) };
  }

  private night(day: number, score: number): object {
    return {
      id: uuidFrom(this.seed, this.account, day),
      calendar_date: new Date(day).toISOString().slice(0, 10),
      bedtime_start: new Date(day - 3_600_000).toISOString(),
      bedtime_stop: new Date(day + 6 * 3_600_000).toISOString(),
      score,
    };
  }
}
