import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { unverified } from '../../platform/config/jws.js';
import type { Head } from '../audit-reports/audit-report.js';
import type { AuditRefDto } from '../audit-reports/audit-reports.dto.js';
import { proofFrom, proofIn, type ReportFault, verifyProof, verifyReport } from '../audit-reports/report-file.js';
import {
  type CommonOptions,
  collected,
  type OutputOptions,
  type Result,
  type Runner,
  type Session,
  withCommonOptions,
  withOutputOptions,
} from './command.js';
import { publicKeysIn } from './public-keys.js';
import { aligned } from './tables.js';
import { CliFailure } from './world.js';

interface VerifyOptions extends OutputOptions {
  readonly publicKey: readonly string[];
}

interface ProveOptions extends CommonOptions {
  readonly account: string;
  readonly day: string;
  readonly resource?: string;
}

const faults: Readonly<Record<ReportFault, string>> = {
  unreadable: 'The signed line is no head of a report.',
  unknown_key: 'Another key signed the report: get the older keys from /.well-known/jwks.json.',
  wrong_signature: 'The signature is WRONG.',
  no_head: 'The last line, which is signed, is missing: the file is incomplete.',
  lines_changed: 'The lines are NOT those that were signed.',
  proof_wrong: 'The days are NOT in the report.',
};

export function addAuditVerify(audit: Command, runner: Runner): void {
  const verify = audit
    .command('verify')
    .description('check a report, or an inclusion proof from one; needs no service')
    .argument('<file>')
    .requiredOption('--public-key <file>', 'PEM or JSON Web Key Set of the keys that sign, repeatable', collected);
  withOutputOptions(verify).action((file: string, options: VerifyOptions) =>
    runner.alone(options, () => verified(file, options.publicKey)),
  );
}

export function addAuditProve(audit: Command, runner: Runner): void {
  const prove = audit
    .command('prove')
    .description('print the inclusion proof of a day of a person, which shows nothing of anybody else')
    .argument('<file>', 'report')
    .requiredOption('--account <text>', 'id of the account')
    .requiredOption('--day <date>', 'UTC day, YYYY-MM-DD')
    .option('--resource <text>', 'only this resource');
  withCommonOptions(prove).action((file: string, options: ProveOptions) =>
    runner.service(options, (session) => proven(session, file, options)),
  );
}

async function verified(file: string, keyFiles: readonly string[]): Promise<Result> {
  const keys = keyFiles.flatMap(publicKeysIn);
  const [first = ''] = await firstOf(file);
  const proof = proofIn(first);
  const head = proof ? verifyProof(proof, keys) : await verifyReport(linesOf(file), keys);
  if (typeof head === 'string') return { good: false, lines: [faults[head]], json: { valid: false, reason: head } };
  const about = aboutHead(head);
  if (!proof) return { good: true, lines: ['The report is valid.', ...aligned(about)], json: { valid: true, ...head } };
  const days = proof.days.map(({ leaf }) => leaf);
  const lines = ['The proof is valid: these days are in the report.', ...days, ...aligned(about)];
  return { good: true, lines, json: { valid: true, days: days.map((leaf) => JSON.parse(leaf) as unknown), ...head } };
}

async function proven({ admin }: Session, file: string, { account, day, resource }: ProveOptions): Promise<Result> {
  const end = await proofFrom(linesOf(file), () => false);
  if (!end) throw new CliFailure(faults.no_head, 'invalid_file');
  const path = `/accounts/${encodeURIComponent(account)}/audit-ref`;
  const { report_id } = unverified(end.report);
  const { account_ref } = await admin.get<AuditRefDto>(path, { report_id: String(report_id) });
  const proof = await proofFrom(
    linesOf(file),
    (leaf) =>
      leaf.account_ref === account_ref && leaf.day === day && (resource === undefined || leaf.resource === resource),
  );
  if (!proof || proof.days.length === 0) {
    throw new CliFailure('The report has no such day of this account: it was not proven.', 'not_found');
  }
  return { good: true, lines: [JSON.stringify(proof)], json: { ...proof } };
}

function aboutHead({ not_proven, ...head }: Head): Record<string, string | number> {
  const others = Object.entries(not_proven).map(([state, count]) => `${count} ${state}`);
  return { ...head, resource: head.resource ?? 'all', not_proven: others.join(', ') };
}

async function firstOf(file: string): Promise<string[]> {
  for await (const line of linesOf(file)) return [line];
  return [];
}

async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) yield line;
  } catch {
    throw new CliFailure('A file cannot be read.', 'invalid_file');
  }
}
