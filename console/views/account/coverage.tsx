import { type ReactNode, useMemo, useState } from 'react';
import { useAnswer } from '../../lib/queries.js';
import { useToday } from '../../parts/age.js';
import { Empty, Partial, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { calendarRows, dateAfter, dayNumber, isQuiet } from './calendar.js';
import { CoverageCalendar } from './calendar-view.js';
import type { OpenDay } from './open-day.js';

const spans = { year: 365, quarter: 91, month: 31 } as const;
export type SpanName = keyof typeof spans;

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
  open,
  onSpan,
  onOpen,
  children,
}: {
  readonly accountId: string;
  readonly isHeadShown: boolean;
  readonly span: SpanName;
  readonly open: OpenDay | null;
  readonly onSpan: (span: SpanName) => void;
  readonly onOpen: (day: OpenDay) => void;
  readonly children: ReactNode;
}): ReactNode {
  const today = useToday();
  const days = spans[span];
  const first = dateAfter(today, 1 - days);
  const options = {
    path: { account_id: accountId },
    query: { first_day: first, last_day: today, limit: MAX_ROWS },
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
          <Commands call="getCoverage" options={options} />
        </h2>
        <Shown query={query} of="the coverage" rows={6}>
          {rows.length === 0 ? (
            <Empty>
              No source was ever connected, so there is no coverage. Connect one with a link token from the tab tokens.
            </Empty>
          ) : (
            <CoverageCalendar
              key={`${span} ${rows.length}`}
              rows={rows}
              first={first}
              days={days}
              open={at && at.row >= 0 && at.day >= 0 && at.day < days ? at : null}
              onOpen={({ row, day }) => {
                const chosen = rows[row];
                if (chosen) {
                  onOpen({ day: dateAfter(first, day), provider: chosen.provider, resource: chosen.resource });
                }
              }}
            />
          )}
          {(folded > 0 || isWhole) && (
            <button type="button" className="plain" onClick={() => setWhole(!isWhole)}>
              {isWhole
                ? 'Hide rows without a record'
                : `Show ${folded} more ${folded === 1 ? 'resource' : 'resources'} (no data)`}
            </button>
          )}
          {query.data?.next_cursor && <Partial>Only the first {MAX_ROWS} sources and resources are shown.</Partial>}
        </Shown>
      </section>
      <div hidden={query.isPending || !isHeadShown}>{children}</div>
    </>
  );
}
