import { readEnvironment } from './environment.js';
import { startSandbox } from './server.js';

function printLine(stream: NodeJS.WriteStream, line: Record<string, unknown>): void {
  stream.write(`${JSON.stringify(line)}\n`);
}

async function main(): Promise<void> {
  const { options, faults } = readEnvironment(process.env);
  if (faults.length > 0) {
    printLine(process.stderr, { event: 'bad_configuration', faults });
    process.exitCode = 1;
    return;
  }
  const sandbox = await startSandbox(options);
  const stop = (): void => void sandbox.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  printLine(process.stdout, { event: 'listening', url: sandbox.url });
}

main().catch((error: unknown) => {
  const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
  printLine(process.stderr, { event: 'start_failed', code });
  process.exitCode = 1;
});
