import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { AuditConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, invalidFields, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { DAY_MS, dateOf, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { MAX_QUESTIONS } from '../streams/tuning.js';
import type { AuditEntity, DayProofEntity, DayProofState } from './audit.entity.js';
import { MAX_AUDIT_DAYS } from './audit-plan.js';
import { AuditsRepository, type DayCount, type ListedAudit, type ProofFilter } from './audits.repository.js';
import { AuditsWorker } from './audits.worker.js';

export type { DayProofEntity as DayProof } from './audit.entity.js';

export interface AuditRequested {
  readonly account_id: string;
  /** Undefined for every resource. */
  readonly resource?: string | undefined;
  readonly first_day: string;
  readonly last_day: string;
  readonly report_only?: boolean | undefined;
  readonly repair_all?: boolean | undefined;
}

/** An audit, the customer's id of its account, and the outcome of its days. */
export interface ShownAudit {
  readonly row: AuditEntity;
  readonly accountId: string;
  readonly counts: readonly DayCount[];
}

export interface ProofQuery {
  readonly resource?: string | undefined;
  readonly provider?: string | undefined;
  readonly first_day?: string | undefined;
  readonly last_day?: string | undefined;
  readonly state?: DayProofState | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

@Injectable()
export class Audits {
  constructor(
    private readonly accounts: AccountsService,
    private readonly audits: AuditsRepository,
    private readonly worker: AuditsWorker,
    private readonly config: AuditConfig,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an audit, or returns an identical open one. Throws `not_found`, `invalid_request` for an empty or too long
   * range, `conflict` without an upstream user, and `account_erased`.
   */
  async start({ account_id, resource = '', first_day, last_day, ...options }: AuditRequested): Promise<ShownAudit> {
    const account = await this.accounts.get(account_id);
    const now = this.clock.now();
    if (account.upstream_user_id === null) throw new AppError('conflict', 'The account has no upstream user yet.');
    if (first_day > last_day || first_day > dateOf(now)) {
      const message = 'first_day must be in the past and not after last_day';
      throw invalidFields({ field: 'first_day', message });
    }
    if (startOfDate(last_day) - startOfDate(first_day) >= MAX_AUDIT_DAYS * DAY_MS) {
      throw invalidFields({ field: 'first_day', message: `at most ${MAX_AUDIT_DAYS} days` });
    }
    const { report_only = false, repair_all = false } = options;
    const flags = { report_only: report_only ? 1 : 0, repair_all: repair_all ? 1 : 0 };
    const days = { origin: 'request', resource, first_day, last_day } as const;
    const audit = { account_id: account.id, ...days, ...flags, created_at: now };
    const row = await this.lane.run(async (tx) => {
      await assertWritable(tx, account.id);
      return (await this.audits.findOpen(tx, audit)) ?? ((await this.audits.insert(tx, audit)) as AuditEntity);
    });
    this.worker.loop.tick();
    return { row, accountId: account.account_id, counts: [] };
  }

  /**
   * Has the days of a resource compared before the next sample, if there are samples; days that were compared lately
   * are left out. For days that somebody asks about.
   */
  async ask(account: Account, resource: string, { start, end }: TimeRange): Promise<void> {
    if (this.config.callsPerDay === 0 || account.upstream_user_id === null) return;
    const question = {
      account_id: account.id,
      origin: 'question',
      resource,
      report_only: 0,
      repair_all: 0,
      first_day: dateOf(start),
      last_day: dateOf(end - 1),
      created_at: this.clock.now(),
    } as const;
    await this.lane.run(async (tx) => {
      await assertWritable(tx, account.id);
      if (await this.audits.findOpen(tx, question)) return;
      if ((await this.audits.waiting(tx, account.id)) < MAX_QUESTIONS) await this.audits.insert(tx, question);
    });
  }

  /** Throws `not_found`. */
  async get(id: number): Promise<ShownAudit> {
    const [shown] = await this.shown([orNotFound(await this.audits.find(id), 'There is no such audit.')]);
    return shown as ShownAudit;
  }

  /** Newest first. Throws `not_found` for an unknown account. */
  async list(query: { account_id?: string; cursor?: string; limit: number }): Promise<Page<ShownAudit>> {
    const { account_id, cursor, limit } = query;
    const account = account_id === undefined ? undefined : (await this.accounts.get(account_id)).id;
    const [beforeId] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : decodeCursor(cursor, ['number']);
    const page = pageOf(await this.audits.page(account, beforeId, limit + 1), limit, ({ id }) => [id]);
    return { ...page, data: await this.shown(page.data) };
  }

  /** Ends after the current look. Throws `not_found`. */
  async cancel(id: number): Promise<ShownAudit> {
    await this.lane.run((tx) => this.audits.cancel(tx, id, this.clock.now()));
    this.worker.loop.tick();
    return this.get(id);
  }

  /** Compared days of an account, by resource, source and day. Throws `not_found`. */
  async proofs(accountId: string, { cursor, limit, ...query }: ProofQuery): Promise<Page<DayProofEntity>> {
    const account = (await this.accounts.get(accountId)).id;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, ['string', 'string', 'string']);
    const { resource, provider, first_day: firstDay, last_day: lastDay, state } = query;
    const rows = await this.audits.proofs({ account, resource, provider, firstDay, lastDay, state }, after, limit + 1);
    return pageOf(rows, limit, (row) => [row.resource, row.provider, row.day]);
  }

  /** The compared UTC days of an account that a range touches. `account` is `accounts.id`. */
  provenIn(account: number, { start, end }: TimeRange, resource?: string): Promise<DayProofEntity[]> {
    return this.audits.proofs({ account, resource, firstDay: dateOf(start), lastDay: dateOf(end) });
  }

  /** The compared days of an account, in the states that they have now. */
  days(filter: ProofFilter): Promise<DayProofEntity[]> {
    return this.audits.proofs(filter);
  }

  /** `accounts.id` of everybody of whom days were compared. */
  comparedAccounts(): Promise<number[]> {
    return this.audits.accounts();
  }

  private async shown(rows: readonly ListedAudit[]): Promise<ShownAudit[]> {
    const counts = await this.audits.counts(rows.map(({ id }) => id));
    return rows.map((row) => {
      return { row, accountId: row.external_id, counts: counts.filter(({ audit_id }) => audit_id === row.id) };
    });
  }
}
