import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  type Checkpoint,
  type CheckpointFault,
  mostNoted,
  readCheckpoint,
} from '../access-log-verification/checkpoint.js';
import type { CheckpointKeysDto, VerificationDto } from '../access-log-verification/verification.dto.js';
import {
  aligned,
  type CommonOptions,
  type Result,
  type Runner,
  type Session,
  withCommonOptions,
} from '../cli-session/command.js';
import { CliFailure } from '../cli-session/world.js';
import { VerifyingKey } from '../config/signing-keys.js';

interface Options extends CommonOptions {
  readonly seq?: string;
  readonly hash?: string;
  readonly checkpoint?: string;
  readonly publicKey?: string;
}

type Query = Readonly<Record<string, string | undefined>>;
type Noted = Pick<Checkpoint, 'seq' | 'hash'>;

/** Lines of a file that are no checkpoints of the service, by why. */
type Faults = ReadonlyMap<CheckpointFault, number>;

export function addAccessLogVerify(accessLog: Command, runner: Runner): void {
  const command = accessLog
    .command('verify')
    .description('check that no entry of the access log was changed, removed, added or moved')
    .option('--seq <number>', 'an entry that was noted elsewhere')
    .option('--hash <hex>', 'its hash then')
    .option('--checkpoint <file>', 'kept checkpoints, one a line, that the log is held against')
    .option('--public-key <file>', 'the key that they are verified with, as PEM; without it, the keys of the service');
  withCommonOptions(command).action((options: Options) => {
    const { seq, hash, checkpoint, publicKey } = options;
    if ((seq === undefined) !== (hash === undefined)) command.error('error: --seq and --hash go together');
    if (seq !== undefined && checkpoint !== undefined) command.error('error: --seq or --checkpoint, not both');
    if (publicKey !== undefined && checkpoint === undefined) command.error('error: --public-key needs --checkpoint');
    return runner.service(options, (session) =>
      checkpoint === undefined
        ? verify(session, { seq, hash })
        : verifyKept(session, linesOf(checkpoint), publicKey === undefined ? undefined : keyIn(publicKey)),
    );
  });
}

async function verify({ admin }: Session, noted: Query): Promise<Result> {
  return resultOf(await admin.get<VerificationDto>('/access-log/verification', noted), {});
}

/** Signatures are verified here, and the log is held against every checkpoint whose signature is good. */
async function verifyKept(
  { admin }: Session,
  lines: readonly string[],
  key: VerifyingKey | undefined,
): Promise<Result> {
  const keys = key ? [key] : await keysOf(admin);
  const read = lines.map((line) => readCheckpoint(line, keys));
  const good = read.filter((each) => typeof each !== 'string');
  const faults = new Map<CheckpointFault, number>();
  for (const each of read) if (typeof each === 'string') faults.set(each, (faults.get(each) ?? 0) + 1);
  const noted = [...new Map(good.map(({ seq, hash }) => [`${seq} ${hash}`, { seq, hash }])).values()];
  const found = await against(admin, noted);
  return resultOf(found, { checkpoints: good.length, ...Object.fromEntries(faults) }, faults);
}

/** The first answer that finds something, else the last. */
async function against(admin: Session['admin'], noted: readonly Noted[]): Promise<VerificationDto> {
  let found = await admin.get<VerificationDto>('/access-log/verification');
  for (let start = 0; start < noted.length && found.intact; start += mostNoted) {
    const slice = noted.slice(start, start + mostNoted);
    found = await admin.post<VerificationDto>('/access-log/verification', { noted: slice });
  }
  return found;
}

async function keysOf(admin: Session['admin']): Promise<VerifyingKey[]> {
  const { keys } = await admin.get<CheckpointKeysDto>('/access-log/checkpoint-keys');
  return keys.map(({ pem }) => VerifyingKey.read(pem));
}

function resultOf(found: VerificationDto, more: Record<string, number>, faults: Faults = new Map()): Result {
  const { intact, entries, first_seq, last_seq, last_hash, broken_at, reason, unproven } = found;
  const said = intact ? 'The access log is as it was recorded.' : 'The access log is NOT as it was recorded.';
  const about = { entries, first_seq, last_seq, last_hash, ...more, ...(intact ? {} : { broken_at, reason }) };
  const notes = [
    ...(faults.size > 0 ? ['Some lines are no checkpoints that these keys have signed: they prove nothing.'] : []),
    ...(unproven.length > 0 ? [`Not proven: ${unproven.join(', ')}`] : []),
  ];
  return {
    good: intact && faults.size === 0,
    lines: [said, ...aligned(about), ...notes],
    json: { ...found, ...more },
  };
}

function linesOf(path: string): string[] {
  const lines = textOf(path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(checkpointIn);
  if (lines.length === 0) throw new CliFailure('The file of checkpoints is empty.', 'invalid_file');
  return lines;
}

/** A line is a checkpoint, or JSON that holds one: what the address was sent, and lines of the log. */
function checkpointIn(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { checkpoint } = JSON.parse(line) as { readonly checkpoint?: unknown };
    return typeof checkpoint === 'string' ? checkpoint : line;
  } catch {
    return line;
  }
}

function keyIn(path: string): VerifyingKey {
  const text = textOf(path);
  try {
    return VerifyingKey.read(text.trim());
  } catch {
    throw new CliFailure('The file of --public-key holds no Ed25519 public key.', 'invalid_file');
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CliFailure('A file that was named cannot be read.', 'invalid_file');
  }
}
