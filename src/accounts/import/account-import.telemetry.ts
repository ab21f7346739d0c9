import { Injectable } from '@nestjs/common';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { AccountImportEntity } from './account-import.entity.js';

/** Log lines and metrics for imports. */
@Injectable()
export class AccountImportTelemetry {
  private readonly imports;
  private readonly users;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.imports = metrics.counter('account_imports_total', 'Steps of imports by outcome', ['outcome']);
    this.users = metrics.counter('account_import_users_total', 'What imports found of users and accounts', ['outcome']);
  }

  started(importId: number): void {
    this.imports.inc({ outcome: 'started' });
    this.log.event('account.import_started', { import_id: importId });
  }

  /** A step is stored. */
  stepped(before: AccountImportEntity, after: AccountImportEntity): void {
    for (const outcome of ['known', 'adopted', 'refused', 'missing'] as const) {
      this.users.inc({ outcome }, after[outcome] - before[outcome]);
    }
    const { id: import_id, pages } = after;
    if (after.pages > before.pages) {
      this.imports.inc({ outcome: 'page' });
      this.log.event('account.import_page', { import_id, pages, count: after.adopted - before.adopted }, 'debug');
    }
    if (before.state !== 'running' || after.state !== 'done') return;
    this.imports.inc({ outcome: 'done' });
    this.log.event('account.import_done', { import_id, pages, count: after.adopted });
  }

  deferred({ id }: AccountImportEntity, code: string, delayMs: number, error: unknown): void {
    this.imports.inc({ outcome: 'deferred' });
    const { kind, status } = describeError(error);
    const described = { kind, upstream_status: status, code, delay_ms: delayMs };
    this.log.event('account.import_deferred', { import_id: id, ...described }, 'warn');
  }

  failed({ id }: AccountImportEntity, code: string, error: unknown): void {
    this.imports.inc({ outcome: 'failed' });
    const { kind, status } = describeError(error);
    this.log.event('account.import_failed', { import_id: id, kind, upstream_status: status, code }, 'error');
  }
}
