import { createContext, useContext } from 'react';

export interface Live {
  /** False while the page is paused, hidden or offline. */
  readonly isLive: boolean;
  /** Changes arrive by themselves, so that reading again at intervals is only a safety net. */
  readonly isStreamed: boolean;
  readonly isPaused: boolean;
  readonly isOnline: boolean;
  /** Since when the service has not answered, in epoch milliseconds; null while it does. */
  readonly silentSince: number | null;
  readonly setPaused: (paused: boolean) => void;
}

export const LiveContext = createContext<Live>({
  isLive: true,
  isStreamed: false,
  isPaused: false,
  isOnline: true,
  silentSince: null,
  setPaused: () => undefined,
});

export function useLive(): Live {
  return useContext(LiveContext);
}
