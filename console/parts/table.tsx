import {
  memo,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Rows } from '../lib/queries.js';
import { Nothing } from './age.js';
import { Empty, Failure, Loading, Outdated } from './conditions.js';

export interface Column<R> {
  readonly name: string;
  readonly show: (row: R) => ReactNode;
  /** A column of numbers: right-aligned, tabular figures. */
  readonly number?: boolean;
  /** Takes the remaining width; its text may wrap. */
  readonly wide?: boolean;
}

interface TableProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  readonly selected?: string | undefined;
  readonly onOpen?: (row: R) => void;
}

/**
 * Dense rows; `j` and `k` move between them and Enter opens one. On windows too narrow for the columns (900 px, or 1280
 * px for many columns), the first column of each row is placed above the others.
 */
export function Table<R>({ label, columns, rows: all, keyOf, selected, onOpen }: TableProps<R>): ReactNode {
  const rows = all.slice(0, useDrawn(all.length));
  const hasRoom = useRoom(columns.length);
  const open = ({ target }: SyntheticEvent): void => {
    const line = (target as Element).closest('tr');
    const row = line && rows[line.sectionRowIndex];
    if (row) onOpen?.(row);
  };
  return (
    <div className={hasRoom ? 'frame' : 'frame rows'}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, number, wide }) => (
              <th key={name} scope="col" className={classes(number, wide)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          onClick={(event) => {
            if (!(event.target as Element).closest('button, a, input, label')) open(event);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && event.target instanceof HTMLTableRowElement) open(event);
          }}
        >
          {rows.map((row) => {
            const key = keyOf(row);
            return (
              <TableRow
                key={key}
                columns={columns as readonly Column<unknown>[]}
                row={row}
                isSelected={selected === key}
                opens={onOpen !== undefined}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A table with this many columns needs more width than the smallest window with navigation has. */
const MANY = 7;

/** True if the window is wide enough for the columns side by side. */
function useRoom(columns: number): boolean {
  const query = useMemo(() => window.matchMedia(`(min-width: ${columns >= MANY ? 1_280 : 900}px)`), [columns]);
  const [subscribe, read] = useMemo(
    () => [
      (listener: () => void) => {
        query.addEventListener('change', listener);
        return () => query.removeEventListener('change', listener);
      },
      () => query.matches,
    ],
    [query],
  );
  return useSyncExternalStore(subscribe, read);
}

const AT_ONCE = 25;

/** Number of rendered rows: one screen immediately, the others in later frames. */
function useDrawn(count: number): number {
  const [drawn, setDrawn] = useState(AT_ONCE);
  useEffect(() => {
    if (drawn >= count) return;
    const frame = requestAnimationFrame(() => setDrawn(drawn + AT_ONCE));
    return () => cancelAnimationFrame(frame);
  }, [drawn, count]);
  return drawn;
}

/** Rendered again only if its row or the columns change, because a list may be long. */
const TableRow = memo(function TableRow({
  columns,
  row,
  isSelected,
  opens,
}: {
  readonly columns: readonly Column<unknown>[];
  readonly row: unknown;
  readonly isSelected: boolean;
  readonly opens: boolean;
}): ReactNode {
  return (
    <tr
      aria-current={isSelected || undefined}
      className={opens ? 'opens' : undefined}
      {...(opens && { tabIndex: 0, 'data-row': '' })}
    >
      {columns.map(({ name, show, number, wide }) => (
        <td key={name} data-name={`${name.charAt(0).toUpperCase()}${name.slice(1)}`} className={classes(number, wide)}>
          {orNothing(show(row))}
        </td>
      ))}
    </tr>
  );
});

function orNothing(shown: ReactNode): ReactNode {
  return shown === '–' || shown === '' ? <Nothing /> : shown;
}

function classes(number: boolean | undefined, wide: boolean | undefined): string | undefined {
  return [number && 'number', wide && 'wide'].filter(Boolean).join(' ') || undefined;
}

/** A table for a paged list, with empty, loading and error states. */
export function ListTable<R>({
  list,
  empty,
  ...table
}: Omit<TableProps<R>, 'rows'> & { readonly list: Rows<R>; readonly empty: ReactNode }): ReactNode {
  const { rows, query, drawn } = list;
  const retry = (): void => void query.refetch();
  const box = useRef<HTMLDivElement>(null);
  if (query.data === undefined && query.isError) return <Failure error={query.error} retry={retry} />;
  if (query.data === undefined) return <Loading rows={8} of={table.label} />;
  const isFormer = query.isPlaceholderData || query.isError;
  return (
    <div ref={box} className="list" aria-busy={query.isPlaceholderData}>
      {query.isError && <Outdated error={query.error} retry={retry} />}
      <div className={isFormer ? 'former' : undefined}>
        {rows.length === 0 ? <Empty>{empty}</Empty> : <Table key={drawn} {...table} rows={rows} />}
      </div>
      <Pager list={list} label={table.label} onTurn={() => box.current?.scrollIntoView()} />
    </div>
  );
}

/** Not rendered for a list of one page. */
function Pager({
  list: { rows, query, first, next, previous },
  label,
  onTurn,
}: {
  readonly list: Rows<unknown>;
  readonly label: string;
  readonly onTurn: () => void;
}): ReactNode {
  if (!next && !previous) return null;
  const turn = (to: (() => void) | undefined, name: string): ReactNode => (
    <button
      type="button"
      disabled={!to || query.isPlaceholderData}
      onClick={() => {
        to?.();
        onTurn();
      }}
    >
      {name}
    </button>
  );
  return (
    <nav className="line pager" aria-label={`Pages of ${label}`}>
      {turn(previous, 'Previous page')}
      {turn(next, 'Next page')}
      <span className="note" role="status">
        {first.toLocaleString('en')} to {(first + rows.length - 1).toLocaleString('en')}
        {!previous && ', kept current'}
      </span>
    </nav>
  );
}
