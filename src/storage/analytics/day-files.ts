import type { DayRows, Row } from '../declarations/views.js';
import type { DatasetFile } from './dataset-folder.js';
import type { DifferingDays } from './differing-days.js';
import type { GatheredDays } from './gathered-days.repository.js';
import { rowsOfFile, someValue } from './parquet-file.js';
import { rowsOf } from './person-days.js';

/*
 * The rows of a table of days for the files of its days. They are computed person by person, and a file has everyone's
 * rows of a day: so they are gathered first, with the rows of old files that are still right.
 */

export class DayFiles {
  constructor(
    private readonly rows: DayRows,
    private readonly differing: DifferingDays,
    private readonly gathered: GatheredDays,
    private readonly pathOf: (file: DatasetFile) => string,
  ) {}

  /**
   * Gathers the rows of all days on which some differ, or of all days if `old` is null; `gone` are people who are no
   * longer shown. Returns the old files that stay.
   */
  async gather(
    old: readonly DatasetFile[] | null,
    gone: ReadonlySet<string>,
    { now, turn }: { readonly now: number; readonly turn: (rows: number) => void },
  ): Promise<DatasetFile[]> {
    const { differing } = this;
    for (const person of gone) differing.people.add(Number(person));
    const kept = differing.everyone ? null : old;
    let rows = 0;
    for (const person of await this.rows.people()) {
      const days = kept === null ? null : differing.daysOf(person, now);
      for await (const page of rowsOf(this.rows, person, days)) {
        this.gathered.add(page);
        rows += page.length;
        turn(rows);
      }
    }
    return kept === null ? [] : this.keepFrom(kept, () => turn(rows));
  }

  /** Gathers the rows that do not differ from the files of days on which others do. Returns the other files. */
  private async keepFrom(old: readonly DatasetFile[], turn: () => void): Promise<DatasetFile[]> {
    const { gathered } = this;
    const { people } = this.differing;
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

function dayOf({ path }: DatasetFile): string {
  return /day=([^/]+)/.exec(path)?.[1] ?? '';
}
