/** The part of `sessionStorage` that the key needs. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * The idempotency key of an action that must happen once. It survives failures and reloads, so that a retry never
 * repeats the action, until the action succeeds or another one is started.
 */
export function keptKey(store: Store, act: string, newKey: () => string): string {
  const name = `pulsekeep-key-${act}`;
  const kept = store.getItem(name);
  if (kept !== null) return kept;
  const key = newKey();
  store.setItem(name, key);
  return key;
}

export function dropKey(store: Store, act: string): void {
  store.removeItem(`pulsekeep-key-${act}`);
}
