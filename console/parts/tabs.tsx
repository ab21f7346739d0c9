import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { withFilters } from '../lib/filters.js';

/** Lists of one view, each an address of its own. The first is the one without a name in the address. */
export function Lists<T extends string>({
  label,
  lists,
  shown,
}: {
  readonly label: string;
  readonly lists: readonly (readonly [name: T, title: string])[];
  readonly shown: T;
}): ReactNode {
  const [path] = useLocation();
  useSearch();
  return (
    <nav className="lists" aria-label={label}>
      {lists.map(([name, title], index) => (
        <Link
          key={name}
          href={`${path}${withFilters('', { list: index === 0 ? undefined : name })}`}
          aria-current={name === shown ? 'page' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
