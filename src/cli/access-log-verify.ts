import type { Command } from 'commander';
import type { VerificationDto } from '../access-log-verification/verification.dto.js';
import {
  aligned,
  type CommonOptions,
  type Result,
  type Runner,
  type Session,
  withCommonOptions,
} from '../cli-session/command.js';

interface Options extends CommonOptions {
  readonly seq?: string;
  readonly hash?: string;
}

export function addAccessLogVerify(accessLog: Command, runner: Runner): void {
  const command = accessLog
    .command('verify')
    .description('check that no entry of the access log was changed, removed, added or moved')
    .option('--seq <number>', 'an entry that was noted elsewhere')
    .option('--hash <hex>', 'its hash then');
  withCommonOptions(command).action((options: Options) => {
    const { seq, hash } = options;
    if ((seq === undefined) !== (hash === undefined)) command.error('error: --seq and --hash go together');
    return runner.service(options, (session) => verify(session, { seq, hash }));
  });
}

async function verify({ admin }: Session, noted: Readonly<Record<string, string | undefined>>): Promise<Result> {
  const found = await admin.get<VerificationDto>('/access-log/verification', noted);
  const { intact, entries, first_seq, last_seq, last_hash, broken_at, reason } = found;
  const said = intact ? 'The access log is as it was recorded.' : 'The access log is NOT as it was recorded.';
  const about = { entries, first_seq, last_seq, last_hash, ...(intact ? {} : { broken_at, reason }) };
  return { good: intact, lines: [said, ...aligned(about)], json: { ...found } };
}
