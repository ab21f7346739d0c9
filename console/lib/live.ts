import { createContext, useContext } from 'react';

export interface Live {
  /** False while the page is paused, hidden or offline. */
  readonly isLive: boolean;
  /** Changes are streamed, so regular refreshes are only a safety net. */
  readonly isStreamed: boolean;
  readonly isPaused: boolean;
  readonly isOnline: boolean;
  /** When the service stopped responding, in epoch milliseconds; null while it responds. */
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
