import type { Command } from 'commander';
import { VerifyingKey } from '../../platform/config/signing-keys.js';
import {
  type Checkpoint,
  type CheckpointFault,
  MAX_NOTED,
  readCheckpoint,
} from '../../privacy/access-log/checkpoint.js';
import type { CheckpointDto, VerificationDto } from '../../privacy/access-log/verification.dto.js';
import { type CommonOptions, collected, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { publicKeysIn, textOf } from './public-keys.js';
import { aligned } from './tables.js';
import { CliFailure } from './world.js';

interface VerifyOptions extends CommonOptions {
  readonly seq?: string;
  readonly hash?: string;
  readonly checkpoint?: string;
  readonly publicKey?: readonly string[];
}

type Noted = Pick<Checkpoint, 'seq' | 'hash'>;

/** Checkpoints with a valid signature, and the number of other lines by fault. */
interface Kept {
  readonly good: readonly Noted[];
  readonly faults: ReadonlyMap<CheckpointFault, number>;
}

const none: Kept = { good: [], faults: new Map() };

export function addAccessLogVerify(accessLog: Command, runner: Runner): void {
  const verify = withCommonOptions(
    accessLog
      .command('verify')
      .description('check that no entry of the access log was changed, removed, added or moved')
      .option('--seq <number>', 'number of an entry noted earlier')
      .option('--hash <hex>', 'its hash at that time')
      .option('--checkpoint <file>', 'earlier checkpoints to compare with, one per line')
      .option('--public-key <file>', 'PEM of a key that signed them, repeatable; default: the service key', collected),
  );
  verify.action((options: VerifyOptions) => {
    const { seq, hash, checkpoint: file, publicKey } = options;
    if ((seq === undefined) !== (hash === undefined)) verify.error('error: --seq and --hash go together');
    if (seq !== undefined && file !== undefined) verify.error('error: --seq or --checkpoint, not both');
    if (publicKey !== undefined && file === undefined) verify.error('error: --public-key needs --checkpoint');
    return runner.service(options, async ({ admin }) => {
      if (file !== undefined) return against(admin, await keptIn(file, publicKey, admin));
      return against(admin, hash === undefined ? none : { ...none, good: [{ seq: Number(seq), hash }] });
    });
  });
}

/** Signatures are verified here, not by the service. */
async function keptIn(path: string, keyFiles: readonly string[] | undefined, admin: Session['admin']): Promise<Kept> {
  const lines = linesOf(path);
  const keys = keyFiles?.flatMap(publicKeysIn) ?? [await serviceKey(admin)];
  const read = lines.map((line) => readCheckpoint(line, keys));
  const faults = new Map<CheckpointFault, number>();
  for (const each of read) if (typeof each === 'string') faults.set(each, (faults.get(each) ?? 0) + 1);
  return { good: read.filter((each) => typeof each !== 'string'), faults };
}

/** Compares in batches and stops at the first finding. */
async function against(admin: Session['admin'], { good, faults }: Kept): Promise<Result> {
  const noted = [...new Map(good.map(({ seq, hash }) => [`${seq} ${hash}`, { seq, hash }])).values()];
  let found: VerificationDto | undefined;
  for (let start = 0; start < noted.length && found?.intact !== false; start += MAX_NOTED) {
    const batch = { noted: noted.slice(start, start + MAX_NOTED) };
    found = await admin.post<VerificationDto>('/access-log/verification', batch);
  }
  found ??= await admin.get<VerificationDto>('/access-log/verification');
  const compared = good.length + faults.size > 0 ? { checkpoints: good.length, ...Object.fromEntries(faults) } : {};
  const { intact, entries, first_seq, last_seq, last_hash, broken_at, reason, unproven, unchained } = found;
  const said = intact ? 'The access log is intact.' : 'The access log was ALTERED.';
  const about = {
    entries,
    first_seq,
    last_seq,
    last_hash,
    unchained,
    ...compared,
    ...(intact ? {} : { broken_at, reason }),
  };
  const notes = [
    ...(faults.size > 0 ? ['Some lines are not checkpoints signed with these keys, so they prove nothing.'] : []),
    ...(unproven.length > 0 ? [`Not proven: ${unproven.join(', ')}`] : []),
  ];
  return {
    good: intact && faults.size === 0,
    lines: [said, ...aligned(about), ...notes],
    json: { ...found, ...compared },
  };
}

async function serviceKey(admin: Session['admin']): Promise<VerifyingKey> {
  return VerifyingKey.read((await admin.get<CheckpointDto>('/access-log/checkpoint')).public_key);
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

/** A line is a checkpoint, or the JSON that `checkpoint --json` prints. */
function checkpointIn(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { checkpoint: text } = JSON.parse(line) as { readonly checkpoint?: unknown };
    return typeof text === 'string' ? text : line;
  } catch {
    return line;
  }
}
