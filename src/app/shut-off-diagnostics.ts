/**
 * Whoever may send this process a signal shall not read its memory with it. A listener of our own takes the place of
 * Node's, which opens a debugger on SIGUSR1, on every line of Node that is supported; `--disable-sigusr1` is not known
 * to all of them. Reports of diagnosis hold the environment and parts of the heap: none is written, whatever
 * `NODE_OPTIONS` says. What is asked for at the start by `--inspect` stays: that is whoever starts it.
 */
export function shutOffDiagnostics(): void {
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, ignore);
  const { report } = process;
  report.reportOnSignal = false;
  report.reportOnFatalError = false;
  report.reportOnUncaughtException = false;
}

function ignore(): void {}
