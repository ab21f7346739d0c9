import type { Clock } from '../platform/clock.js';
import { AdminClient } from './admin-client.js';
import { type Display, displayOf } from './display.js';
import { CliFailure, Interrupted } from './exit.js';
import { operatorKey } from './operator-key.js';
import type { CommonOptions } from './options.js';
import type { CliWorld } from './world.js';

/** What a command has while it runs. */
export interface Session {
  readonly admin: AdminClient;
  readonly display: Display;
  readonly clock: Clock;
  /** Aborted at Ctrl-C. */
  readonly signal: AbortSignal;
}

interface Service {
  readonly admin: AdminClient;
  stop(): Promise<void>;
}

/**
 * Runs `work` against the service of `--url`, or against one that this process runs itself for that long. Ctrl-C ends
 * the waiting, not the work: what was asked for is stored, and goes on where the service runs or at its next start.
 */
export async function withService<T>(
  world: CliWorld,
  options: CommonOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const remote = options.url !== undefined;
  const interrupt = new AbortController();
  const release = world.onInterrupt(() => interrupt.abort());
  try {
    const service = await connect(world, options);
    const display = displayOf(world);
    try {
      const { admin } = service;
      return await work({ admin, display, clock: world.clock, signal: interrupt.signal });
    } finally {
      display.end();
      await service.stop();
    }
  } catch (error) {
    throw error instanceof Interrupted ? goesOn(remote) : error;
  } finally {
    release();
  }
}

async function connect(world: CliWorld, { url, keyFile, verbose }: CommonOptions): Promise<Service> {
  if (url !== undefined) {
    const key = operatorKey(keyFile, () => world.operatorKey());
    return { admin: new AdminClient(url, key), stop: async () => undefined };
  }
  const local = await world.startLocal(verbose === true);
  return { admin: new AdminClient(local.url, local.key), stop: () => local.stop() };
}

function goesOn(remote: boolean): CliFailure {
  const where = remote ? 'The work goes on in the service.' : 'What is not done is resumed at the next start.';
  return new CliFailure(`Stopped waiting. ${where}`, 'interrupted');
}
