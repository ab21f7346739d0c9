import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { fetchAsSession } from './api.js';

const PAUSE_MS = 2_000;

/**
 * A component whose code is loaded when it is first shown. Shows a placeholder while the service does not respond.
 * Fails if the service responds without the file, because it is newer than the page.
 */
export function later<P>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => loaded(load, isAnswered));
}

/** Retries until it succeeds. Rejects only if an attempt fails just after the service responded. */
export async function loaded<T>(
  load: () => Promise<T>,
  isAnswered: () => Promise<boolean>,
  pauseMs: number = PAUSE_MS,
): Promise<T> {
  let hasAnswered = false;
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (hasAnswered) throw error;
      hasAnswered = await isAnswered();
      if (!hasAnswered) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

async function isAnswered(): Promise<boolean> {
  try {
    await fetchAsSession('/livez', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}
