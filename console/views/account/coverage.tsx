import { type ReactNode, useMemo, useState } from 'react';
import { useAnswer } from '../../lib/queries.js';
import { useToday } from '../../parts/age.js';
import { Empty, Partial, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { calendarRows, dateAfter, dayNumber, isQuiet, monthAfter, monthOf } from './calendar.js';
import { CoverageCalendar } from './calendar-view.js';
import type { OpenDay } from './open-day.js';

/** Days up to today; a month is a calendar month. */
const spans = { year: 365, quarter: 91, month: null } as const;
export type SpanName = keyof typeof spans;

interface Range {
  readonly first: string;
  readonly days: number;
  /** The last day that has begun. */
  readonly lastRead: string;
  /** The calendar month, for the span `month`. */
  readonly month: string;
}

function rangeOf(span: SpanName, chosen: string | undefined, today: string): Range {
  const now = today.slice(0, 7);
  const month = chosen !== undefined && chosen < now ? chosen : now;
  const length = spans[span];
  if (length !== null) return { first: dateAfter(today, 1 - length), days: length, lastRead: today, month };
  const { first, days } = monthOf(month);
  const last = dateAfter(first, days - 1);
  return { first, days, lastRead: last < today ? last : today, month };
}

function isOpen(row: { readonly provider: string; readonly resource: string }, open: OpenDay | null): boolean {
  return row.provider === open?.provider && row.resource === open.resource;
}

/** Maximum rows of one read; no account has that many sources and resources. */
const MAX_ROWS = 500;

/** The calendar and what is below it, shown once everything above has its height, so that nothing moves later. */
export function Coverage({
  accountId,
  isHeadShown,
  span,
  month: chosenMonth,
  open,
  onSpan,
  onMonth,
  onOpen,
  children,
}: {
  readonly accountId: string;
  readonly isHeadShown: boolean;
  readonly span: SpanName;
  /** Month of the span `month`, such as 2026-11; default the current one. */
  readonly month: string | undefined;
  readonly open: OpenDay | null;
  readonly onSpan: (span: SpanName) => void;
  readonly onMonth: (month: string) => void;
  readonly onOpen: (day: OpenDay) => void;
  readonly children: ReactNode;
}): ReactNode {
  const today = useToday();
  const { first, days, lastRead, month } = rangeOf(span, chosenMonth, today);
  const options = {
    path: { account_id: accountId },
    query: { first_day: first, last_day: lastRead, limit: MAX_ROWS },
  };
  const query = useAnswer('getCoverage', options, { every: 20_000 });
  const all = useMemo(() => calendarRows(query.data?.data ?? [], first, days), [query.data, first, days]);
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => {
    const loud = all.filter((row) => !isQuiet(row) || isOpen(row, open));
    return isWhole || loud.length === 0 ? all : loud;
  }, [all, isWhole, open]);
  const folded = all.length - rows.length;
  const at = open && {
    row: rows.findIndex(({ provider, resource }) => provider === open.provider && resource === open.resource),
    day: dayNumber(open.day) - dayNumber(first),
  };
  return (
    <>
      <section className="coverage" aria-label="Coverage">
        <h2>
          Coverage
          <span className="spans" role="group" aria-label="Length of the calendar">
            {(Object.keys(spans) as SpanName[]).map((name) => (
              <button key={name} type="button" aria-pressed={name === span} onClick={() => onSpan(name)}>
                {name}
              </button>
            ))}
          </span>
          {span === 'month' && <Months month={month} now={today.slice(0, 7)} onMonth={onMonth} />}
          <Commands call="getCoverage" options={options} />
        </h2>
        <Shown query={query} of="the coverage" rows={6}>
          {rows.length === 0 ? (
            <Empty>
              No source was ever connected, so there is no coverage. Connect one with a link token from the tab tokens.
            </Empty>
          ) : (
            <CoverageCalendar
              key={`${span} ${first} ${rows.length}`}
              rows={rows}
              first={first}
              days={days}
              newest={dayNumber(lastRead) - dayNumber(first)}
              isMonth={span === 'month'}
              open={at && at.row >= 0 && at.day >= 0 && at.day < days ? at : null}
              onOpen={({ row, day }) => {
                const chosen = rows[row];
                if (chosen) {
                  onOpen({ day: dateAfter(first, day), provider: chosen.provider, resource: chosen.resource });
                }
              }}
            />
          )}
          <Fold folded={folded} isWhole={isWhole} onFold={() => setWhole(!isWhole)} />
          {query.data?.next_cursor && <Partial>Only the first {MAX_ROWS} sources and resources are shown.</Partial>}
        </Shown>
      </section>
      <div hidden={query.isPending || !isHeadShown}>{children}</div>
    </>
  );
}

/** The shown month, with arrows to the one before and after it. */
function Months({
  month,
  now,
  onMonth,
}: {
  readonly month: string;
  readonly now: string;
  readonly onMonth: (month: string) => void;
}): ReactNode {
  const [before, after] = [monthAfter(month, -1), monthAfter(month, 1)];
  return (
    <span className="month-steps" role="group" aria-label="Month">
      <button type="button" aria-label={`Previous month, ${monthWords(before)}`} onClick={() => onMonth(before)}>
        ←
      </button>
      <span aria-live="polite">{monthWords(month)}</span>
      <button
        type="button"
        aria-label={`Next month, ${monthWords(after)}`}
        disabled={month >= now}
        onClick={() => onMonth(after)}
      >
        →
      </button>
    </span>
  );
}

function monthWords(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

function Fold({
  folded,
  isWhole,
  onFold,
}: {
  readonly folded: number;
  readonly isWhole: boolean;
  readonly onFold: () => void;
}): ReactNode {
  if (folded === 0 && !isWhole) return null;
  return (
    <button type="button" className="plain" onClick={onFold}>
      {isWhole
        ? 'Hide resources that are not offered'
        : `Show ${folded} more ${folded === 1 ? 'resource' : 'resources'} (no data, not offered)`}
    </button>
  );
}
