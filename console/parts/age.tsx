import { type ReactNode, useSyncExternalStore } from 'react';
import { age, dayOf, local, timeOfDay, utc } from '../lib/ages.js';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

/** One timer for all ages on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** The current UTC date, such as 2026-11-03. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, () => new Date(now).toISOString().slice(0, 10));
}

/** Marks a missing value; hidden where a table row has two lines. */
export function Nothing(): ReactNode {
  return <span className="muted nothing">–</span>;
}

/** A relative age, with the local time and UTC on hover and focus. */
export function Age({ at, absent }: { readonly at: string | null | undefined; readonly absent?: string }): ReactNode {
  const time = Date.parse(at ?? '');
  // Subscribes to the text, not the time, so that a list does not render every second.
  const shown = useSyncExternalStore(subscribe, () => age(time, now));
  if (at === null || at === undefined)
    return absent === undefined ? <Nothing /> : <span className="muted">{absent}</span>;
  return (
    <time dateTime={at} title={`${local(time)}\n${utc(time)}`} className="age">
      {shown}
    </time>
  );
}

/** A time of day in the browser's time zone, with UTC on hover. */
export function Instant({ at }: { readonly at: string | null | undefined }): ReactNode {
  if (at === null || at === undefined) return <Nothing />;
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={utc(time)} className="age">
      {local(time)}
    </time>
  );
}

/** A time to the minute in the browser's time zone, with its day unless that is today; UTC on hover. */
export function TimeOfDay({ at }: { readonly at: number }): ReactNode {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return (
    <time dateTime={new Date(at).toISOString()} title={`${local(at)}\n${utc(at)}`}>
      {isToday ? '' : `${dayOf(at)}, `}
      {timeOfDay(at)}
    </time>
  );
}
