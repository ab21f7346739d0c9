import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type Filters, type FilterValues, readFilters, withFilters } from './filters.js';

/** The filters in the address, and a function that changes some of them; define `filters` outside the component. */
export function useFilters<F extends Filters>(
  filters: F,
): [FilterValues<F>, (changes: { readonly [K in keyof F]?: string | number | undefined }) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const values = useMemo(() => readFilters(search, filters), [search, filters]);
  const change = useCallback(
    (changes: { readonly [K in keyof F]?: string | number | undefined }) =>
      navigate(`${path}${withFilters(search, changes)}`, { replace: true }),
    [search, path, navigate],
  );
  return [values, change];
}
