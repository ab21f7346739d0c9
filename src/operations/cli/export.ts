import { rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { aligned, type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { ExportLines } from './export-lines.js';
import { newFile } from './new-file.js';
import { CliFailure } from './world.js';

interface Options extends CommonOptions {
  readonly out: string;
  readonly keep?: true;
}

export function addExport(cli: Command, runner: Runner): void {
  const command = cli
    .command('export')
    .description('export all stored data of a person to a file, one JSON object per line')
    .argument('<account_id>')
    .requiredOption('--out <path>', 'new file, readable by its owner only')
    .option('--keep', 'keep an incomplete file');
  withCommonOptions(command).action((account: string, options: Options) =>
    runner.service(options, (session) => exportAccount(session, account, options)),
  );
}

/** A file without footer is incomplete and is removed unless `keep`. */
async function exportAccount(session: Session, account: string, { out, keep }: Options): Promise<Result> {
  const file = await newFile(out);
  let lines: ExportLines | null = null;
  try {
    lines = await received(session, account, (chunk) => file.appendFile(chunk));
    await file.sync();
  } finally {
    await file.close();
    if (!lines?.complete && !keep) await rm(out, { force: true });
  }
  if (!lines.complete) {
    throw new CliFailure(`The export was cut off${keep ? '' : '; the incomplete file was removed'}.`, 'incomplete');
  }
  const { rows, counts } = lines;
  return { good: true, lines: aligned({ rows, ...counts }), json: { rows, counts } };
}

async function received(
  { admin, signal, display }: Session,
  account: string,
  store: (chunk: Uint8Array) => Promise<void>,
): Promise<ExportLines> {
  const chunks = await admin.stream(`/accounts/${encodeURIComponent(account)}/export`, signal);
  const lines = new ExportLines();
  try {
    for await (const chunk of chunks) {
      await store(chunk);
      lines.take(chunk);
      display.show({ label: 'export', share: null, counts: `${lines.rows} rows`, estimatedEnd: null });
    }
  } catch (error) {
    if (signal.aborted) throw new CliFailure('Stopped; the export is incomplete.', 'interrupted');
    // A broken connection shows as a missing footer; a system error means that the file cannot be written.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
  } finally {
    display.end();
  }
  return lines;
}
