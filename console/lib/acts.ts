import type { Query } from '@tanstack/react-query';
import { queryClient } from './api.js';

/*
 * After an action, data that it may have changed is read again, in this tab and in the others. Data read on request,
 * such as health values, is not: the access log would record a read that no operator requested.
 */

const name = 'pulsekeep-acts';

type Shown = Pick<Query, 'queryKey' | 'meta'> & { readonly state: { readonly data?: unknown } };

function isOnRequest({ meta }: Pick<Query, 'meta'>): boolean {
  return meta?.['isOnRequest'] === true;
}

/** Ids in the path of an action. */
export function idsOf(path: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries(path).flatMap(([key, value]) =>
    /(^|_)id$/.test(key) && typeof value === 'string' ? [value] : [],
  );
}

/** True for data that is kept current, and for data that shows or names one of these ids. */
export function mayChange(query: Shown, ids: readonly string[]): boolean {
  if (isOnRequest(query)) return false;
  if (query.meta?.['follows'] === true) return true;
  const text = JSON.stringify([query.queryKey, query.state.data]);
  return ids.some((id) => text.includes(JSON.stringify(id)));
}

/** Refreshes what this tab shows of these objects, and makes the other tabs do the same. */
export function readAfterAct(ids: readonly string[]): Promise<void> {
  const channel = new BroadcastChannel(name);
  channel.postMessage(ids);
  channel.close();
  return queryClient.invalidateQueries({ predicate: (query) => !isOnRequest(query) });
}

/**
 * Listens for actions in other tabs; returns a function that stops it. A hidden tab refreshes when it becomes visible.
 */
export function hearOfActs(): () => void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<readonly string[]>) =>
    void queryClient.invalidateQueries({
      predicate: (query) => mayChange(query, data),
      refetchType: document.visibilityState === 'visible' ? 'active' : 'none',
    });
  return () => channel.close();
}
