import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { catalogue } from '../../health/catalogue/catalogue.js';
import { ReadTurns } from '../../http/auth/read-turns.service.js';
import { Audits, type DayProof } from '../../ingest/audits/audits.service.js';
import { canonicalForm } from '../../ingest/audits/left-out.js';
import type { SigningKey } from '../../platform/config/signing-keys.js';
import { version } from '../../platform/config/versions.js';
import { invalidFields, orNotFound } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { toIso } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { MAX_REPORT_READ_AHEAD_BYTES } from '../alarms/tuning.js';
import type { AuditReportEntity } from './audit-report.entity.js';
import { accountRef, catalogueVersion, lineOf } from './audit-report.js';
import { AuditReportSigner } from './audit-report-signer.js';
import { AuditReportsRepository } from './audit-reports.repository.js';
import { GrowingTree, leafHash } from './merkle-tree.js';

/** Days, both inclusive. */
export interface ReportQuestion {
  readonly first_day: string;
  readonly last_day: string;
  readonly account_id?: string | undefined;
  readonly resource?: string | undefined;
}

interface ReportPlan extends ReportQuestion {
  readonly accounts: readonly number[];
  readonly report: AuditReportEntity;
  readonly key: SigningKey;
}

/** Signs reports about proven days. */
@Injectable()
export class AuditReports {
  constructor(
    private readonly audits: Audits,
    private readonly accounts: AccountsService,
    private readonly reports: AuditReportsRepository,
    private readonly signer: AuditReportSigner,
    private readonly turns: ReadTurns,
    private readonly lane: WriteLane,
  ) {}

  /**
   * Streams the lines of a new report. An error ends it early, and then it has no head; so does `mayGoOn` if it rejects
   * before a person's days. Throws `conflict` without a key, `invalid_request`, and `not_found` for an unknown account.
   */
  async open(question: ReportQuestion, reply: FastifyReply, mayGoOn: () => Promise<void>): Promise<Readable> {
    const key = this.signer.key();
    const { account_id, first_day, last_day } = question;
    if (first_day > last_day)
      throw invalidFields({ field: 'first_day', message: 'first_day must not be after last_day' });
    const one = account_id === undefined ? null : (await this.accounts.get(account_id)).id;
    const accounts = one === null ? await this.turns.run(reply, () => this.audits.comparedAccounts()) : [one];
    const report = await this.lane.run(async (tx) => {
      const made = { id: newId(), salt: randomBytes(32).toString('hex'), created_at: tx.now };
      await this.reports.insert(tx, made);
      return made;
    });
    const lines = this.lines({ ...question, accounts, report, key }, mayGoOn);
    return Readable.from(this.turns.each(reply, lines), {
      objectMode: false,
      highWaterMark: MAX_REPORT_READ_AHEAD_BYTES,
    });
  }

  /** The account, resource and days of an audit. Throws `not_found`. */
  async questionOf(auditId: number): Promise<ReportQuestion> {
    const { row, accountId: account_id } = await this.audits.get(auditId);
    const { first_day, last_day, resource } = row;
    return { account_id, first_day, last_day, ...(resource === '' ? {} : { resource }) };
  }

  /** Name of an account in a report. Throws `not_found`. */
  async refOf(accountId: string, reportId: string): Promise<string> {
    const account = await this.accounts.get(accountId);
    const report = orNotFound(await this.reports.find(reportId), 'This database has no such report.');
    return accountRef(report.salt, account.id);
  }

  private async *lines(plan: ReportPlan, mayGoOn: () => Promise<void>): AsyncGenerator<string> {
    const { report, accounts, first_day: firstDay, last_day: lastDay, resource } = plan;
    const tree = new GrowingTree();
    const counts = { accounts: 0, objects: 0, not_proven: { different: 0, held: 0, repairing: 0 } };
    // In the order of their names, which says nothing about them.
    const named = accounts.map((account) => ({ account, ref: accountRef(report.salt, account) }));
    for (const { account, ref } of named.sort((a, b) => (a.ref < b.ref ? -1 : 1))) {
      await mayGoOn();
      const days = await this.audits.days({ account, resource, firstDay, lastDay });
      if (days.length === 0) continue;
      counts.accounts++;
      const lines = days.flatMap((day) => {
        if (day.state !== 'proven') counts.not_proven[day.state]++;
        if (day.state !== 'proven') return [];
        counts.objects += day.objects;
        return [lineOf(leafOf(ref, day))];
      });
      for (const line of lines) tree.add(leafHash(line));
      if (lines.length > 0) yield `${lines.join('\n')}\n`;
    }
    const head = { ...headOf(plan), ...counts, leaves: tree.size, root: tree.root().toString('hex') };
    yield `${JSON.stringify({ report: await this.signer.sign(head, plan.key) })}\n`;
  }
}

function leafOf(account_ref: string, { resource, provider, day, hash, looked_at }: DayProof) {
  return { account_ref, day, hash, proven_at: toIso(looked_at), resource, source: provider };
}

function headOf({ report, first_day, last_day, resource }: ReportPlan) {
  return {
    report_id: report.id,
    created_at: toIso(report.created_at),
    ...{ first_day, last_day, resource: resource ?? null, version },
    catalogue: catalogueVersion(catalogue),
    canonical_form: canonicalForm,
  };
}
