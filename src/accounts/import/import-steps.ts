import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import type { AccountImportEntity } from './account-import.entity.js';
import { AccountImportsRepository, type ImportChange } from './account-imports.repository.js';
import { BatchAdoption } from './batch-adoption.js';
import { afterPage, ImportTuning } from './import-scan.js';
import { MissingAccounts } from './missing-accounts.js';

/** One step of an import: one call to upstream, then its effect and the new position in one transaction. */
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

  /** Returns the updated import. Throws `UpstreamError` and `LeaseLost`. */
  take(held: AccountImportEntity, now: number, options: CallOptions): Promise<AccountImportEntity> {
    if (held.state !== 'running') return this.tidy(held);
    return held.phase === 'walk' ? this.scan(held, now, options) : this.verify(held, now, options);
  }

  /** Fails the import. Its seen users must still be deleted, unless that is what failed. */
  bury(tx: Tx, held: AccountImportEntity, code: string, now: number): Promise<AccountImportEntity> {
    const { rows } = this.imports;
    if (held.state !== 'running') return rows.bury(tx, held, held.error_code ?? code);
    const { attempts } = held;
    return rows.complete(tx, held, now, { state: 'failed', error_code: code, attempts, finished_at: now });
  }

  private async scan(held: AccountImportEntity, now: number, options: CallOptions): Promise<AccountImportEntity> {
    const asked = { offset: held.next_offset, limit: this.tuning.pageSize };
    const { users, listed, total } = await this.upstream.listUsers(asked, options);
    return this.lane.run(async (tx) => {
      const { counts, ...seen } = await this.adoption.apply(tx, held, users, now);
      const step = afterPage(held, { received: listed, total, ...seen }, this.tuning);
      return this.imports.rows.complete(tx, held, held.due_at, { ...step, ...counts, pages: held.pages + 1 });
    });
  }

  private async verify(held: AccountImportEntity, now: number, options: CallOptions): Promise<AccountImportEntity> {
    const comparison = await this.missing.compare(held, options);
    return this.lane.run(async (tx) => {
      const counts = await this.missing.store(tx, held, comparison, now);
      const { until } = comparison;
      const place: ImportChange = until === null ? { state: 'done', finished_at: now } : { verified_until: until };
      return this.imports.rows.complete(tx, held, held.due_at, { ...counts, ...place });
    });
  }

  /** Deletes seen users, which were needed only for the comparison; the differences stay. */
  private tidy(held: AccountImportEntity): Promise<AccountImportEntity> {
    return this.lane.run(async (tx) => {
      const removed = await this.imports.forget(tx, held.id, this.tuning.tidied);
      const dueAt = removed < this.tuning.tidied ? null : held.due_at;
      const { attempts, error_code } = held;
      return this.imports.rows.complete(tx, held, dueAt, { attempts: attempts - 1, error_code });
    });
  }
}
