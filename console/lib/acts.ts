import type { Query } from '@tanstack/react-query';
import { queryClient } from './api.js';

/*
 * What acts change is read again, in this tab and in the others. What was read on request, such as health values, is
 * not: the access log would record a read that no operator requested.
 */

const name = 'pulsekeep-acts';

type Shown = Pick<Query, 'queryKey' | 'meta'> & { readonly state: { readonly data?: unknown } };

export function isOnRequest({ meta }: Pick<Query, 'meta'>): boolean {
  return meta?.['isOnRequest'] === true;
}

/** Ids in the path of an act. */
export function idsOf(path: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries(path).flatMap(([key, value]) =>
    /(^|_)id$/.test(key) && typeof value === 'string' ? [value] : [],
  );
}

/** True of what is kept current, and of what shows or names one of these ids. */
export function mayChange(query: Shown, ids: readonly string[]): boolean {
  if (isOnRequest(query)) return false;
  if (query.meta?.['follows'] === true) return true;
  const text = JSON.stringify([query.queryKey, query.state.data]);
  return ids.some((id) => text.includes(JSON.stringify(id)));
}

/** Reads again what this tab shows, and has the other tabs do it with what they show of the same objects. */
export function readAfterAct(ids: readonly string[]): Promise<void> {
  const channel = new BroadcastChannel(name);
  channel.postMessage(ids);
  channel.close();
  return queryClient.invalidateQueries({ predicate: (query) => !isOnRequest(query) });
}

/** Hears of acts in other tabs until the function that it returns is called. A hidden tab reads when it is seen. */
export function hearOfActs(): () => void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<readonly string[]>) =>
    void queryClient.invalidateQueries({
      predicate: (query) => mayChange(query, data),
      refetchType: document.visibilityState === 'visible' ? 'active' : 'none',
    });
  return () => channel.close();
}
