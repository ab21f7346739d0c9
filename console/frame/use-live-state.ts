import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { queryClient } from '../lib/api.js';
import { followChanges } from '../lib/follow.js';
import type { Live } from '../lib/live.js';
import { useMay } from '../lib/session.js';

/** Many changes at once are one look. */
const TOGETHER_MS = 1_000;

function listenTo(target: EventTarget, ...names: readonly string[]): (listener: () => void) => () => void {
  return (listener) => {
    for (const name of names) target.addEventListener(name, listener);
    return () => {
      for (const name of names) target.removeEventListener(name, listener);
    };
  };
}

const onVisibility = listenTo(document, 'visibilitychange');
const onConnection = listenTo(window, 'online', 'offline');

/** The page follows changes while it is seen, online and not paused. */
export function useLiveState(): Live {
  const [isPaused, setPaused] = useState(false);
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const isLive = isVisible && isOnline && !isPaused;
  const isStreamed = useChanges(isLive);
  return useMemo(
    () => ({ isLive, isStreamed, isPaused, isOnline, setPaused }),
    [isLive, isStreamed, isPaused, isOnline],
  );
}

/** Reads what is shown again after changes; true while the feed of changes is followed. */
function useChanges(isLive: boolean): boolean {
  const mayFollow = useMay('viewer');
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isLive || !mayFollow) return;
    const ended = new AbortController();
    let timer: number | undefined;
    const look = (): void => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        void queryClient.invalidateQueries({ predicate: ({ meta }) => meta?.['follows'] === true });
      }, TOGETHER_MS);
    };
    followChanges(look, setOpen, ended.signal);
    return () => {
      ended.abort();
      window.clearTimeout(timer);
      setOpen(false);
    };
  }, [isLive, mayFollow]);
  return isOpen;
}
