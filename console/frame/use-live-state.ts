import type { Query } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { hearOfActs } from '../lib/acts.js';
import { queryClient } from '../lib/api.js';
import { followChanges } from '../lib/follow.js';
import type { Live } from '../lib/live.js';
import { useSilence } from '../lib/reachable.js';
import { useMay } from '../lib/session.js';
import { sessionKey } from './signed-in.js';

/** Changes within this time cause one refresh. */
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

/** The page follows changes while it is visible, online, not paused, and the service responds. */
export function useLiveState(): Live {
  const [isPaused, setPaused] = useState(false);
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  const silentSince = useSilence();
  const isLive = isVisible && isOnline && !isPaused && silentSince === null;
  const isStreamed = useChanges(isLive);
  useReturn(silentSince !== null);
  useEffect(() => (isPaused ? undefined : hearOfActs()), [isPaused]);
  return useMemo(
    () => ({ isLive, isStreamed, isPaused, isOnline, silentSince, setPaused }),
    [isLive, isStreamed, isPaused, isOnline, silentSince],
  );
}

function follows({ meta }: Query): boolean {
  return meta?.['follows'] === true;
}

/** When the service responds again, reads what failed or may have changed. */
function useReturn(isSilent: boolean): void {
  const wasSilent = useRef(isSilent);
  useEffect(() => {
    if (wasSilent.current && !isSilent) {
      void queryClient.invalidateQueries({
        predicate: (query) => follows(query) || query.state.status === 'error',
      });
    }
    wasSilent.current = isSilent;
  }, [isSilent]);
}

/** Refreshes the shown data after changes. True while the change feed is followed. */
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
        // Does not cancel a request in progress, which may be for a further page.
        void queryClient.invalidateQueries({ predicate: follows }, { cancelRefetch: false });
      }, TOGETHER_MS);
    };
    const onStream = (isOpen: boolean): void => {
      setOpen(isOpen);
      // The stream may have ended because the service did; one request finds out.
      if (!isOpen) void queryClient.invalidateQueries({ queryKey: sessionKey });
    };
    followChanges(look, onStream, ended.signal);
    return () => {
      ended.abort();
      window.clearTimeout(timer);
      setOpen(false);
    };
  }, [isLive, mayFollow]);
  return isOpen;
}
