/**
 * Prevents other users of the machine from reading this process's memory through a signal. Our SIGUSR1 listener
 * replaces Node's, which opens a debugger; not every supported Node line has `--disable-sigusr1`. Diagnostic reports
 * contain the environment and parts of the heap, so they are turned off, regardless of `NODE_OPTIONS`. `--inspect` at
 * start still works, because the operator chose it.
 */
export function shutOffDiagnostics(): void {
  process.on('SIGUSR1', ignore);
  const { report } = process;
  report.reportOnSignal = false;
  report.reportOnFatalError = false;
  report.reportOnUncaughtException = false;
}

function ignore(): void {}
