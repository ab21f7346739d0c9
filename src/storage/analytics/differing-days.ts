import type { ChangeKind } from '../../platform/config/feed-scope.js';
import { DAY_MS, dateAfter, dateOf } from '../../platform/platform/time.js';
import type { Change } from '../change-log/change.js';
import type { GatheredDays } from './gathered-days.repository.js';

/** How long the rows of a day are computed in every run: what is proven of a day changes with time alone. */
const RECENT_DAYS = 7;
/**
 * A sample counts on neighbouring days if its interval reaches into them, places samples without an offset up to two
 * days away, and may replace those of an earlier upstream user.
 */
const REACH_DAYS = 3;
/** After these changes of a person, or of everyone, all rows may differ. */
const ofAllDays: ReadonlySet<ChangeKind> = new Set(['account', 'answers', 'source', 'history.complete']);

/** Whose computed rows of which days may differ since an earlier run. */
export class DifferingDays {
  /** Of whom all days may differ; `accounts.id`. */
  readonly people = new Set<number>();
  everyone = false;

  constructor(private readonly gathered: GatheredDays) {}

  /** Notes whose rows of which days may differ after a change. */
  note({ kind, account, samples }: Change): void {
    if ((kind === 'samples' || kind === 'sample_hours') && account !== null && samples !== null) {
      const first = Math.min(dayOfTime(samples.start), samples.firstDay) - REACH_DAYS;
      const last = Math.max(dayOfTime(samples.end), samples.lastDay) + REACH_DAYS;
      this.gathered.differ(account, dateOf(first * DAY_MS), dateOf(last * DAY_MS));
    } else if (ofAllDays.has(kind)) {
      if (account === null) this.everyone = true;
      else this.people.add(account);
    }
  }

  /** The days of a person, in order; null: all of them. */
  daysOf(person: number, now: number): string[] | null {
    if (this.everyone || this.people.has(person)) return null;
    this.gathered.differ(person, dateAfter(dateOf(now), -RECENT_DAYS), dateAfter(dateOf(now), 1));
    return this.gathered.differingOf(person);
  }
}

const dayOfTime = (ms: number): number => Math.floor(ms / DAY_MS);
