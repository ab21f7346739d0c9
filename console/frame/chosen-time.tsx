import type { ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { keepingSpan, spanFilters } from '../lib/span.js';
import { useFilters } from '../lib/use-filters.js';
import { TimeOfDay } from '../parts/age.js';

const places = [
  ['/messages', 'Messages'],
  ['/access-log', 'Access log'],
  ['/pulls?list=recoveries', 'Recovery'],
] as const;

/** The chosen time range and the views that use it; renders nothing until one is chosen. */
export function ChosenTime(): ReactNode {
  const [{ from, to }, change] = useFilters(spanFilters);
  const search = useSearch();
  if (from === undefined && to === undefined) return null;
  return (
    <p className="chosen-time" role="status">
      <span>
        {from !== undefined && (
          <>
            From <TimeOfDay at={Date.parse(from)} />
          </>
        )}{' '}
        {to !== undefined && (
          <>
            to <TimeOfDay at={Date.parse(to)} />
          </>
        )}
      </span>
      {places.map(([href, name]) => (
        <Link key={href} href={keepingSpan(href, search)}>
          {name}
        </Link>
      ))}
      <button type="button" className="plain" onClick={() => change({ from: undefined, to: undefined })}>
        Show all times
      </button>
    </p>
  );
}
