import { Injectable } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import { type CallOptions, UpstreamClient } from '../upstream/upstream.client.js';
import type { AccountImportEntity } from './account-import.entity.js';
import { AccountImportsRepository, type ImportChange } from './account-imports.repository.js';
import { BatchAdoption } from './batch-adoption.js';
import { afterPage, ImportTuning } from './import-scan.js';
import { MissingAccounts } from './missing-accounts.js';

/** What an import does in its turn: one question to upstream, then its effect and its new place in one transaction. */
@Injectable()
export class ImportSteps {
  constructor(
    private readonly imports: AccountImportsRepository,
    private readonly adoption: BatchAdoption,
    private readonly missing: MissingAccounts,
    private readonly upstream: UpstreamClient,
    private readonly lane: WriteLane,
    private readonly tuning: ImportTuning,
  ) {}

  async claim(owner: string, now: number, leaseUntil: number): Promise<AccountImportEntity | 'idle' | 'taken'> {
    if (!(await this.imports.anyDue(now))) return 'idle';
    return (await this.lane.run((tx) => this.imports.claim(tx, { owner, now, leaseUntil }))) ?? 'taken';
  }

  /** Answers the import as it stands afterwards. Throws `UpstreamError` and `ImportLeaseLost`. */
  take(held: AccountImportEntity, now: number, options: CallOptions): Promise<AccountImportEntity> {
    if (held.state !== 'running') return this.tidy(held);
    return held.phase === 'walk' ? this.walk(held, now, options) : this.verify(held, now, options);
  }

  /** Hands the import back as it is; `code` tells why. */
  async defer(held: AccountImportEntity, later: { dueAt: number; code: string; failures: number }): Promise<void> {
    const { dueAt: due_at, code: error_code, failures } = later;
    await this.lane.run((tx) => this.imports.handBack(tx, held, { due_at, error_code, failures }));
  }

  fail(held: AccountImportEntity, code: string, now: number): Promise<AccountImportEntity> {
    const failures = held.failures + 1;
    const change: ImportChange = { state: 'failed', error_code: code, failures, finished_at: now };
    return this.lane.run((tx) => this.imports.handBack(tx, held, change));
  }

  private async walk(held: AccountImportEntity, now: number, options: CallOptions): Promise<AccountImportEntity> {
    const asked = { offset: held.next_offset, limit: this.tuning.pageSize };
    const { users, total } = await this.upstream.listUsers(asked, options);
    return this.lane.run(async (tx) => {
      const { fresh, joined, ...counts } = await this.adoption.apply(tx, held, users, now);
      const step = afterPage(held, { received: users.length, total, fresh, joined }, this.tuning);
      const known = held.known + counts.known;
      const adopted = held.adopted + counts.adopted;
      const refused = held.refused + counts.refused;
      return this.imports.handBack(tx, held, { ...step, pages: held.pages + 1, known, adopted, refused });
    });
  }

  private async verify(held: AccountImportEntity, now: number, options: CallOptions): Promise<AccountImportEntity> {
    const comparison = await this.missing.compare(held, options);
    return this.lane.run(async (tx) => {
      const counts = await this.missing.store(tx, held, comparison, now);
      const { until } = comparison;
      const place: ImportChange = until === null ? { state: 'done', finished_at: now } : { verified_until: until };
      return this.imports.handBack(tx, held, { ...counts, ...place });
    });
  }

  /** Sightings served the comparison; what is to be kept is among the differences. */
  private tidy(held: AccountImportEntity): Promise<AccountImportEntity> {
    return this.lane.run(async (tx) => {
      const removed = await this.imports.forget(tx, held.id, this.tuning.tidied);
      const { failures, error_code } = held;
      const end = removed < this.tuning.tidied ? { due_at: null } : {};
      return this.imports.handBack(tx, held, { failures, error_code, ...end });
    });
  }
}
