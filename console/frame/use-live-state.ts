import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Live } from '../lib/live.js';

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
  return useMemo(
    () => ({ isLive: isVisible && isOnline && !isPaused, isPaused, isOnline, setPaused }),
    [isVisible, isOnline, isPaused],
  );
}
