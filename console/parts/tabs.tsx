import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { withFilters } from '../lib/filters.js';

/** Parts of one view, each with its own address. The first one has no name in the address. */
export function Tabs<T extends string>({
  label,
  tabs,
  shown,
  filter = 'list',
  kept = {},
}: {
  readonly label: string;
  readonly tabs: readonly (readonly [name: T, title: string])[];
  readonly shown: T;
  /** Query parameter with the name of the tab. */
  readonly filter?: string;
  /** Filters shared by all tabs. */
  readonly kept?: Readonly<Record<string, string | undefined>>;
}): ReactNode {
  const [path] = useLocation();
  useSearch();
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([name, title], index) => (
        <Link
          key={name}
          href={`${path}${withFilters('', { ...kept, [filter]: index === 0 ? undefined : name })}`}
          aria-current={name === shown ? 'page' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
