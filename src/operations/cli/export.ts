import { rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { type ExportLine, ExportLines } from './export-lines.js';
import { ExportPage } from './export-page.js';
import { newFile } from './new-file.js';
import { aligned } from './tables.js';
import { CliFailure } from './world.js';

interface Options extends CommonOptions {
  readonly out?: string;
  readonly html?: string;
  readonly keep?: true;
}

export function addExport(cli: Command, runner: Runner): void {
  const command = cli
    .command('export')
    .description('export all stored data of a person to a file that only its owner can read')
    .argument('<account_id>')
    .option('--out <path>', 'new file with one JSON object per line')
    .option('--html <path>', 'new file with one HTML page, to be read by a person')
    .option('--keep', 'keep an incomplete file');
  withCommonOptions(command).action((account: string, options: Options) => {
    const { out, html, keep } = options;
    const path = out ?? html;
    if (path === undefined || (out !== undefined && html !== undefined)) {
      return command.error('error: exactly one of --out and --html is required');
    }
    const target = { path, page: html === undefined ? null : new ExportPage(), keep };
    return runner.service(options, (session) => exportAccount(session, account, target));
  });
}

interface Target {
  readonly path: string;
  /** Null: lines are written unchanged. */
  readonly page: ExportPage | null;
  readonly keep: true | undefined;
}

/** Removes an incomplete file (one without footer) unless `keep` is set. */
async function exportAccount(session: Session, account: string, { path, page, keep }: Target): Promise<Result> {
  const file = await newFile(path);
  let lines: ExportLines | null = null;
  try {
    lines = await received(session, account, (chunk, read) =>
      file.appendFile(page ? read.map((line) => page.of(line)).join('') : chunk),
    );
    await file.sync();
  } finally {
    await file.close();
    if (!lines?.complete && !keep) await rm(path, { force: true });
  }
  if (!lines.complete) {
    throw new CliFailure(`The export was truncated${keep ? '' : '; the incomplete file was removed'}.`, 'incomplete');
  }
  const { rows, counts } = lines;
  return { good: true, lines: aligned({ rows, ...counts }), json: { rows, counts } };
}

async function received(
  { admin, signal, display }: Session,
  account: string,
  store: (chunk: Uint8Array, lines: readonly ExportLine[]) => Promise<void>,
): Promise<ExportLines> {
  const chunks = await admin.stream(`/accounts/${encodeURIComponent(account)}/export`, signal);
  const lines = new ExportLines();
  try {
    for await (const chunk of chunks) {
      await store(chunk, lines.take(chunk));
      display.show({ label: 'export', share: null, counts: `${lines.rows} rows`, estimatedEnd: null });
    }
  } catch (error) {
    if (signal.aborted) throw new CliFailure('Stopped; the export is incomplete.', 'interrupted');
    // A missing footer reveals a broken connection; a system error means that the file cannot be written.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
  } finally {
    display.end();
  }
  return lines;
}
