import { shutOffDiagnostics } from './shut-off-diagnostics.js';

/**
 * Reactions of the service to signals; replaced once it can do more. Programs import this before everything that takes
 * time to load: until a signal has a listener, SIGHUP ends the process, and in a container, where it is process 1,
 * SIGTERM does nothing.
 */
export const reactions = {
  /** Before the service is ready, nothing has to be drained: a migration ends with its transaction. */
  stop(signal: NodeJS.Signals): void {
    process.stderr.write(`Stopped by ${signal} before the start was complete.\n`);
    process.exit(0);
  },
  /** Before the secret files are read there is nothing to read again. */
  reread(): void {},
  /** Before the configuration is read there is no log. */
  switchLogLevel(): void {},
};

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => reactions.stop(signal));
process.on('SIGHUP', () => reactions.reread());
process.on('SIGUSR2', () => reactions.switchLogLevel());
shutOffDiagnostics();
