import { type FileHandle, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import type { AccountImportDto, ImportDifferenceDto } from '../../accounts/import/account-imports.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { newFile } from './new-file.js';
import { follow, type Progress } from './progress.js';

interface Options extends CommonOptions {
  readonly out?: string;
}

export function addAccountsImport(accounts: Command, runner: Runner): void {
  const command = accounts
    .command('import')
    .description('import users from upstream that are unknown here, and list the differences on both sides')
    .option('--out <path>', 'new file for the differences, one JSON object per line');
  withCommonOptions(command).action((options: Options) =>
    runner.service(options, (session) => importAccounts(session, options.out)),
  );
}

/** Removes an incomplete file, so that the command can be repeated with the same path. */
async function importAccounts(session: Session, out: string | undefined): Promise<Result> {
  if (out === undefined) return imported(session, null);
  const file = await newFile(out);
  try {
    return await imported(session, file);
  } catch (error) {
    await rm(out, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function imported(session: Session, file: FileHandle | null): Promise<Result> {
  const { admin } = session;
  const { import_id } = await admin.post<AccountImportDto>('/accounts/import');
  const path = `/account-imports/${import_id}`;
  const end = await follow(session, {
    poll: () => admin.get<AccountImportDto>(path),
    progress: progressOf,
    ended: ({ state }) => state !== 'running',
  });
  return resultOf(end, await differences(session, `${path}/differences`, file));
}

/** Returns all differences, or none if they were written to the file. */
async function differences({ admin }: Session, path: string, file: FileHandle | null): Promise<ImportDifferenceDto[]> {
  const kept: ImportDifferenceDto[] = [];
  for await (const page of admin.pages<ImportDifferenceDto>(path)) {
    if (file) for (const difference of page) await file.write(`${JSON.stringify(difference)}\n`);
    else kept.push(...page);
  }
  return kept;
}

function progressOf(at: AccountImportDto): Progress {
  const { users_seen, users_total, adopted, refused, unknown_upstream } = at;
  const of = users_total === null ? '' : ` of ${users_total}`;
  const failure = at.failures === 0 ? '' : `, deferred after ${at.last_error}`;
  const found = `${adopted} adopted, ${refused} refused, ${unknown_upstream} local only`;
  const counts = `${users_seen}${of} users, ${found}${failure}`;
  return { label: 'import', share: at.share_done, counts, estimatedEnd: at.estimated_end };
}

function resultOf(end: AccountImportDto, listed: readonly ImportDifferenceDto[]): Result {
  const { import_id, state, users_seen, known, adopted, refused, unknown_upstream: local_only, stable } = end;
  const counts = { users_seen, known, adopted, refused, local_only };
  const wording = { import: `${import_id} ${state}`, ...counts, stable: String(stable) };
  const reasons = { refused_by_reason: end.refused_by_reason, local_only_by_reason: end.unknown_by_reason };
  return {
    good: state === 'done' && stable !== false && refused === 0 && local_only === 0,
    lines: [...aligned({ ...wording, last_error: end.last_error }), ...listed.map(lineOf)],
    json: { import_id, state, ...counts, ...reasons, stable, last_error: end.last_error, differences: listed },
  };
}

function lineOf({ kind, reason, account_id, user_id }: ImportDifferenceDto): string {
  return [kind, reason ?? '-', account_id ?? '-', user_id ?? '-'].join('\t');
}
