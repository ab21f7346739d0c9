import { groupedBy } from '../../platform/platform/grouped-by.js';
import { dateAfter, startOfDate } from '../../platform/platform/time.js';
import type { Slot } from '../clock/local-slots.js';
import type { AmountColumns } from './amounts.reader.js';
import { totalOfGrid } from './grid-merge.js';
import {
  kindOf,
  named,
  type Part,
  type SlotStatistics,
  type SourceShare,
  sourceIn,
  sourceOf,
  type Totalled,
  totalSlot,
  type Wanted,
} from './slot-statistics.js';

interface GridDay {
  readonly date: string;
  readonly own: readonly Part[];
  /** Instant at which it begins. */
  readonly at: number;
}

export interface DayOnGrid {
  readonly own: readonly Part[];
  readonly slot: SlotStatistics;
  readonly ofSources: SourceShare[];
}

/** The totals of the days whose amounts lie on one grid; none for hours or single sources. */
export function gridTotals(
  read: ReadonlyMap<Part, AmountColumns>,
  { resource, ranked, starts, returned, per, mode, open }: Wanted & Omit<Totalled, 'account'> & { open: Set<string> },
): DayOnGrid[] {
  if (per === 'hour' || mode === 'single' || !resource.onceAtATime) return [];
  return gridDaysOf(read, starts, open)
    .filter(({ date }) => !returned.has(date))
    .flatMap(({ date, own, at }) => {
      const tracks = own.map((part) => {
        const source = ranked.indexOf(sourceIn(ranked, sourceOf(part.one)));
        return { source, columns: read.get(part) as AmountColumns };
      });
      const total = totalOfGrid(tracks);
      if (total === null) return [];
      const { shares, ...rest } = total;
      const kind = own[0] ? kindOf(resource, own[0].one) : '';
      const slot = { ...rest, at, ahead: own[0]?.slot.ahead ?? 0, kind, incomparable: null };
      return [{ own, slot: { date, ...totalSlot(slot, ranked) }, ofSources: named(shares, ranked) }];
    });
}

/**
 * The days whose amounts may lie on one grid: series with equal hours and one type, into which no interval reaches and
 * out of which none does. What was not read reaches into none either (`plainDays`).
 */
function gridDaysOf(
  read: ReadonlyMap<Part, AmountColumns>,
  starts: ReadonlyMap<string, number>,
  open: Set<string>,
): GridDay[] {
  for (const [{ slot }, columns] of read) if (endOf(columns) > slot.end) open.add(slot.date);
  const isClosed = (date: string): boolean => [0, 1, 2, 3].every((days) => !open.has(dateAfter(date, -days)));
  const days = groupedBy([...read.keys()], ({ slot }) => slot.date);
  return [...days].flatMap(([date, own]) => {
    const [first, ahead] = [own[0] as Part, starts.get(date)];
    const isEqual = ({ one, slot }: Part): boolean =>
      one.floating_time === 0 && one.sub_series === first.one.sub_series && isSameSlot(slot, first.slot);
    if (ahead === undefined || !isClosed(date) || !own.every(isEqual)) return [];
    return [{ date, own, at: startOfDate(date) - ahead }];
  });
}

function isSameSlot(one: Slot, other: Slot): boolean {
  return one.start === other.start && one.end === other.end && one.ahead === other.ahead;
}

function endOf({ start, times, durations }: AmountColumns): number {
  let end = 0;
  const hasOne = durations.length === 1;
  for (let index = 0; index < times.length; index++) {
    end = Math.max(end, (times[index] ?? 0) + (durations[hasOne ? 0 : index] ?? 0));
  }
  return start + end;
}
