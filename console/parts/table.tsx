import type { ReactNode } from 'react';
import type { Rows } from '../lib/queries.js';
import { Empty, Failure, Loading, Outdated } from './conditions.js';

export interface Column<R> {
  readonly name: string;
  readonly show: (row: R) => ReactNode;
  /** Numbers: right-aligned, tabular. */
  readonly number?: boolean;
  /** Takes the room that is left; its text is cut off. */
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
 * Dense rows; `j` and `k` move between them and Enter opens one. Below 900 px each row has two lines, the first column
 * above the others.
 */
export function Table<R>({ label, columns, rows, keyOf, selected, onOpen }: TableProps<R>): ReactNode {
  return (
    <div className="frame">
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
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row);
            const open = onOpen && {
              tabIndex: 0,
              'data-row': '',
              onClick: (event: { target: EventTarget }) => {
                if (!(event.target as Element).closest('button, a, input, label')) onOpen(row);
              },
              onKeyDown: (event: { key: string; target: EventTarget; currentTarget: EventTarget }) => {
                if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
              },
            };
            return (
              <tr key={key} aria-current={selected === key || undefined} className={onOpen && 'opens'} {...open}>
                {columns.map(({ name, show, number, wide }) => (
                  <td key={name} data-name={name} className={classes(number, wide)}>
                    {show(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function classes(number: boolean | undefined, wide: boolean | undefined): string | undefined {
  return [number && 'number', wide && 'wide'].filter(Boolean).join(' ') || undefined;
}

/** A table over the pages of a list, with its empty, loading and error states. */
export function ListTable<R>({
  list: { rows, query },
  empty,
  ...table
}: Omit<TableProps<R>, 'rows'> & { readonly list: Rows<R>; readonly empty: ReactNode }): ReactNode {
  const retry = (): void => void query.refetch();
  if (query.data === undefined && query.isError) return <Failure error={query.error} retry={retry} />;
  if (query.data === undefined) return <Loading rows={8} of={table.label} />;
  return (
    <div className={query.isPlaceholderData ? 'former' : undefined} aria-busy={query.isPlaceholderData}>
      {query.isError && <Outdated error={query.error} retry={retry} />}
      {rows.length === 0 ? <Empty>{empty}</Empty> : <Table {...table} rows={rows} />}
      {query.hasNextPage && (
        <button
          type="button"
          className="more"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Reading' : `Show more than these ${rows.length}`}
        </button>
      )}
    </div>
  );
}
