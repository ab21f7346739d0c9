import { setTimeout as pause } from 'node:timers/promises';
import type { Progress } from './display.js';
import { CliFailure, Interrupted } from './exit.js';
import type { Session } from './session.js';

/** The first look comes soon, for short work; later ones spare the service. */
const FIRST_PAUSE_MS = 150;
const MAX_PAUSE_MS = 2_000;
/** A service that is restarted or a network that hiccups does not end hours of waiting: about a minute. */
const MAX_FAILED_POLLS = 30;
const passing = new Set(['unreachable', 'not_this_service', 'shutting_down', 'storage_unavailable', 'internal']);

interface Followed<T> {
  /** Asks where the work stands. */
  readonly look: () => Promise<T>;
  readonly standing: (state: T) => Progress;
  readonly ended: (state: T) => boolean;
}

/** Looks again and again until the work has ended, shows where it stands, and answers the last state. */
export async function follow<T>(session: Session, { look, standing, ended }: Followed<T>): Promise<T> {
  const { display, signal } = session;
  let waitMs = FIRST_PAUSE_MS;
  try {
    for (;;) {
      const state = await patiently(look, signal);
      display.show(standing(state));
      if (ended(state)) return state;
      await wait(waitMs, signal);
      waitMs = Math.min(waitMs * 1.3, MAX_PAUSE_MS);
    }
  } finally {
    display.end();
  }
}

async function patiently<T>(look: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let lost = 1; ; lost++) {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof CliFailure) || !passing.has(error.code) || lost === MAX_FAILED_POLLS) throw error;
      await wait(MAX_PAUSE_MS, signal);
    }
  }
}

/** Throws Interrupted at Ctrl-C. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {
    throw new Interrupted();
  });
}

/** When work ends that goes on as it went so far; null before there is a pace. */
export function estimatedEnd(share: number, startedAt: number, now: number): string | null {
  if (share <= 0 || share >= 1 || now <= startedAt) return null;
  return new Date(now + ((now - startedAt) / share) * (1 - share)).toISOString();
}
