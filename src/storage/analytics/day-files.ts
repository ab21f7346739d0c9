import type { ChangeKind } from '../../platform/config/feed-scope.js';
import { DAY_MS, dateAfter, dateOf } from '../../platform/platform/time.js';
import type { Change } from '../change-log/change.js';
import type { DayRows, Row } from '../declarations/views.js';
import type { DatasetFile } from './dataset-folder.js';
import type { GatheredDays } from './gathered-days.repository.js';
import { rowsOfFile, someValue } from './parquet-file.js';
import { allRowsOf, rowsOfDays } from './person-days.js';

/*
 * The rows of a table of days for the files of its days. They are computed person by person, and a file has everyone's
 * rows of a day: so they are gathered first, with the rows of old files that are still right.
 */

/** How long the rows of a day are computed in every run: what is proven of a day changes with time alone. */
const RECENT_DAYS = 7;
/**
 * A sample counts on neighbouring days if its interval reaches into them, places samples without an offset up to two
 * days away, and may replace those of an earlier upstream user.
 */
const REACH_DAYS = 3;
/** After these changes of a person, or of everyone, all rows may differ. */
const ofAllDays: ReadonlySet<ChangeKind> = new Set(['account', 'answers', 'source', 'history.complete']);

export class DayFiles {
  /** Of whom all days may differ; `accounts.id`. */
  private readonly people = new Set<number>();
  private everyone = false;

  constructor(
    private readonly rows: DayRows,
    private readonly gathered: GatheredDays,
    private readonly pathOf: (file: DatasetFile) => string,
  ) {}

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

  /**
   * Gathers the rows of all days on which some differ, or of all days if `old` is null; `gone` are people who are shown
   * no more. Returns the old files that stay.
   */
  async gather(
    old: readonly DatasetFile[] | null,
    gone: ReadonlySet<string>,
    { now, turn }: { readonly now: number; readonly turn: (rows: number) => void },
  ): Promise<DatasetFile[]> {
    for (const person of gone) this.people.add(Number(person));
    const kept = this.everyone ? null : old;
    let rows = 0;
    for (const person of await this.rows.people()) {
      const isWhole = kept === null || this.people.has(person);
      for await (const page of isWhole ? allRowsOf(this.rows, person) : this.differingOf(person, now)) {
        this.gathered.add(page);
        rows += page.length;
        turn(rows);
      }
    }
    return kept === null ? [] : this.keepFrom(kept, () => turn(rows));
  }

  private differingOf(person: number, now: number): AsyncGenerator<readonly Row[]> {
    this.gathered.differ(person, dateAfter(dateOf(now), -RECENT_DAYS), dateAfter(dateOf(now), 1));
    return rowsOfDays(this.rows, person, this.gathered.differingOf(person));
  }

  /** Gathers the rows that do not differ from the files of days on which others do. Returns the other files. */
  private async keepFrom(old: readonly DatasetFile[], turn: () => void): Promise<DatasetFile[]> {
    const { gathered, people } = this;
    const days = new Set(gathered.concerned());
    const kept: DatasetFile[] = [];
    for (const file of old) {
      turn();
      const [day, path] = [dayOf(file), this.pathOf(file)];
      if (!days.has(day) && !(await someValue(path, 'account_ref', (id) => people.has(Number(id))))) {
        kept.push(file);
        continue;
      }
      for await (const page of rowsOfFile(path)) {
        const stays = ([account]: Row): boolean =>
          !people.has(account as number) && !gathered.differs(account as number, day);
        gathered.addOf(day, page.filter(stays));
      }
    }
    return kept;
  }
}

const dayOfTime = (ms: number): number => Math.floor(ms / DAY_MS);

function dayOf({ path }: DatasetFile): string {
  return /day=([^/]+)/.exec(path)?.[1] ?? '';
}
