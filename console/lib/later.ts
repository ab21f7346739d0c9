import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { fetchAsSession } from './api.js';

const PAUSE_MS = 2_000;

/**
 * A part of the page whose code is loaded when it is first shown. While the service does not answer, its place shows
 * that it is read. Fails if the service answers and has no such file: it is newer than the page.
 */
export function later<P>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => loaded(load, isAnswered));
}

/** Tries until it succeeds; rejects only if a try fails right after the service has answered. */
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
