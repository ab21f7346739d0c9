import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { utc } from '../../lib/ages.js';

export function AccountLink({ accountId }: { readonly accountId: string | null }): ReactNode {
  if (accountId === null) return <span className="muted">no account</span>;
  return (
    <Link href={`/accounts/${encodeURIComponent(accountId)}`} title={accountId}>
      {accountId}
    </Link>
  );
}

/** A time on the clock of the appointment's place, because the reader may be in another time zone. */
export function ThereAndThen({ at, zone }: { readonly at: string | null; readonly zone: string | null }): ReactNode {
  if (at === null) return <span className="muted">not set</span>;
  const time = Date.parse(at);
  const there = new Date(time).toLocaleString('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
    timeZone: zone ?? 'UTC',
  });
  return (
    <time dateTime={at} title={utc(time)} className="age">
      {there} <span className="muted">{zone ?? 'UTC'}</span>
    </time>
  );
}
