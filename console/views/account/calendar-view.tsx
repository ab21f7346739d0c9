import { type KeyboardEvent, memo, type ReactNode, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type State, states } from '../../lib/states.js';
import { type Column, Table } from '../../parts/table.js';
import {
  type CalendarRow,
  cellWords,
  columnsOf,
  dateAfter,
  dayAt,
  dayMarks,
  monthMarks,
  type Place,
  placeAfter,
  spanAt,
} from './calendar.js';
import { longDay } from './days.js';
import { drawCalendar, large, type Palette, type Size, small } from './draw.js';

interface CalendarProps {
  readonly rows: readonly CalendarRow[];
  /** First day. */
  readonly first: string;
  readonly days: number;
  /** Index of the last day that has begun. */
  readonly newest: number;
  /** Days of one month: numbered, and large enough for a finger. */
  readonly isMonth: boolean;
  /** The selected day. */
  readonly open: Place | null;
  readonly onOpen: (place: Place) => void;
}

/**
 * One cell per day and one row per source and resource, on one canvas. Arrow keys move by a day or a row, Page Up and
 * Page Down by four weeks, Enter opens the day. A table shows the same to screen readers.
 */
export function CoverageCalendar({ rows, first, days, newest, isMonth, open, onOpen }: CalendarProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const hint = useId();
  const width = useWidth(scroller);
  const [palette, colours] = usePalette();
  const [cursor, setCursor] = useState<Place>(() => open ?? { row: 0, day: newest });
  const [pointed, setPointed] = useState<Place | null>(null);
  const size = isMonth ? large : small;
  const columns = useMemo(
    () => columnsOf(first, days, Math.max(0, width - 1), { least: size.day }),
    [first, days, width, size],
  );
  const marks = useMemo(() => (isMonth ? dayMarks(days) : monthMarks(first, days)), [first, days, isMonth]);
  useLayoutEffect(() => {
    if (canvas.current && palette && width > 0) drawCalendar(canvas.current, rows, columns, { palette, size });
  }, [rows, columns, palette, width, size]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box) box.scrollLeft = (columns.lefts[newest] ?? 0) + columns.day + 24 - box.clientWidth;
  }, [newest, columns]);

  const shown = pointed ?? cursor;
  const placeOf = ({ clientX, clientY, currentTarget }: PointerLike): Place => {
    const box = currentTarget.getBoundingClientRect();
    const row = Math.floor((clientY - box.top) / size.row);
    return { row: Math.max(0, Math.min(rows.length - 1, row)), day: dayAt(columns, clientX - box.left) };
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = placeAfter(event.key, cursor, { rows: rows.length, days });
    if (event.key === 'Enter' || event.key === ' ') onOpen(cursor);
    else if (next) setCursor(next);
    else return;
    setPointed(null);
    event.preventDefault();
    if (next) intoView(scroller.current, columns.lefts[next.day] ?? 0);
  };

  return (
    <div className={isMonth ? 'calendar large' : 'calendar'}>
      {colours}
      <RowNames rows={rows} at={shown.row} />
      <div className="cells" ref={scroller}>
        <div className="months" aria-hidden="true">
          {marks.map(({ day, label }) => (
            <span key={day} style={{ left: columns.lefts[day], ...(isMonth && { width: columns.day }) }}>
              {label}
            </span>
          ))}
        </div>
        <div
          role="application"
          aria-roledescription="calendar"
          aria-label="Coverage by source, resource and day"
          aria-describedby={hint}
          tabIndex={0}
          className="field-of-days"
          style={{ width: columns.width, height: rows.length * size.row }}
          onKeyDown={onKeyDown}
          onPointerMove={(event) => setPointed(placeOf(event))}
          onPointerLeave={() => setPointed(null)}
          onClick={(event) => {
            const place = placeOf(event);
            setCursor(place);
            onOpen(place);
          }}
        >
          <canvas ref={canvas} />
          {open && <Frame className="opened" place={open} columns={columns} size={size} />}
          <Frame className="cursor" place={shown} columns={columns} size={size} />
        </div>
      </div>
      <p className="says" role="status">
        <PlaceWords rows={rows} first={first} place={shown} />
      </p>
      <p id={hint} className="hidden">
        Arrow keys move a day or a row, Page Up and Page Down four weeks. Enter explains the day. The next button shows
        the same as a table.
      </p>
      <AsTable rows={rows} />
    </div>
  );
}

interface PointerLike {
  readonly clientX: number;
  readonly clientY: number;
  readonly currentTarget: Element;
}

function intoView(box: HTMLElement | null, left: number): void {
  if (!box) return;
  if (left < box.scrollLeft) box.scrollLeft = left - 24;
  else if (left > box.scrollLeft + box.clientWidth - 12) box.scrollLeft = left - box.clientWidth + 24;
}

function Frame({
  className,
  place,
  columns,
  size,
}: {
  readonly className: string;
  readonly place: Place;
  readonly columns: ReturnType<typeof columnsOf>;
  readonly size: Size;
}): ReactNode {
  const width = columns.day + 3;
  const left = Math.max(0, Math.min((columns.lefts[place.day] ?? 0) - 1.5, columns.width - width));
  return (
    <span
      className={className}
      style={{
        transform: `translate(${left}px, ${place.row * size.row}px)`,
        width,
        height: size.row,
      }}
    />
  );
}

function PlaceWords({
  rows,
  first,
  place,
}: {
  readonly rows: readonly CalendarRow[];
  readonly first: string;
  readonly place: Place;
}): ReactNode {
  const row = rows[place.row];
  if (!row) return null;
  return (
    <>
      <strong>{longDay(dateAfter(first, place.day))}</strong> {row.provider} {row.resource.replaceAll('_', ' ')}:{' '}
      {cellWords(spanAt(row, place.day))}
    </>
  );
}

const RowNames = memo(function RowNames({ rows, at }: { readonly rows: readonly CalendarRow[]; readonly at: number }) {
  return (
    <ol className="row-names" aria-hidden="true">
      {rows.map(({ provider, resource }, index) => (
        <li key={`${provider}/${resource}`} className={index === at ? 'at' : undefined}>
          <span className="provider">{rows[index - 1]?.provider === provider ? '' : provider}</span>
          <span className="resource">{resource.replaceAll('_', ' ')}</span>
        </li>
      ))}
    </ol>
  );
});

interface Run {
  readonly row: CalendarRow;
  readonly span: CalendarRow['spans'][number];
}

const runColumns: readonly Column<Run>[] = [
  { name: 'source', show: ({ row }) => row.provider },
  { name: 'resource', show: ({ row }) => row.resource.replaceAll('_', ' ') },
  { name: 'from', show: ({ span }) => span.run.first_day },
  { name: 'to', show: ({ span }) => span.run.last_day },
  { name: 'state', wide: true, show: ({ span }) => cellWords(span) },
];

/** The content of the canvas as a table, one line per run of days with the same state; shown on request. */
function AsTable({ rows }: { readonly rows: readonly CalendarRow[] }): ReactNode {
  const [isShown, setShown] = useState(false);
  const runs = useMemo(() => rows.flatMap((row) => row.spans.map((span) => ({ row, span }))), [rows]);
  return (
    <div className="as-table">
      <button type="button" className="plain" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide the table' : 'Show as a table'}
      </button>
      {isShown && (
        <Table
          label="Coverage by source and resource"
          columns={runColumns}
          rows={runs}
          keyOf={({ row, span }) => `${row.provider}/${row.resource}/${span.start}`}
        />
      )}
    </div>
  );
}

function useWidth(ref: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

const painted = ['ground', ...(Object.keys(states) as State[])] as const;

/** The current colours of the states in the style sheet, read from hidden elements. */
function usePalette(): [Palette | null, ReactNode] {
  const ref = useRef<HTMLSpanElement>(null);
  const [palette, setPalette] = useState<Palette | null>(null);
  useLayoutEffect(() => {
    const read = (): void => {
      const elements = [...(ref.current?.children ?? [])];
      const entries = painted.map((name, index) => {
        const element = elements[index];
        return [name, element ? getComputedStyle(element).color : ''];
      });
      setPalette(Object.fromEntries(entries) as Palette);
    };
    read();
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', read);
    const observer = new MutationObserver(read);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', read);
      observer.disconnect();
    };
  }, []);
  const colours = (
    <span ref={ref} hidden className="palette">
      {painted.map((name) => (
        <i key={name} className={name} />
      ))}
    </span>
  );
  return [palette, colours];
}
