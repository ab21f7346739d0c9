import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import type { AccountImportEntity } from './account-import.entity.js';

/** Log lines and metrics for imports. */
@Injectable()
export class AccountImportTelemetry {
  private readonly imports: Outcomes;
  private readonly users;

  constructor(log: Log, metrics: Metrics) {
    this.imports = new Outcomes(log, metrics, 'account_imports_total', 'Import steps by outcome');
    this.users = metrics.counter('account_import_users_total', 'Users and accounts found by imports, by outcome', [
      'outcome',
    ]);
  }

  started(import_id: number): void {
    this.imports.note('started', 'account.import_started', { import_id });
  }

  /** Call after a step was stored. */
  stepped(before: AccountImportEntity, after: AccountImportEntity): void {
    for (const outcome of ['known', 'adopted', 'refused', 'missing'] as const) {
      this.users.inc({ outcome }, after[outcome] - before[outcome]);
    }
    const { id: import_id, pages } = after;
    if (after.pages > before.pages) {
      const count = after.adopted - before.adopted;
      this.imports.note('page', 'account.import_page', { import_id, pages, count }, 'debug');
    }
    if (before.state !== 'running' || after.state !== 'done') return;
    this.imports.note('done', 'account.import_done', { import_id, pages, count: after.adopted });
  }

  deferred({ id: import_id }: AccountImportEntity, code: string, delay_ms: number, error: unknown): void {
    const fields = { import_id, ...loggable(error), code, delay_ms };
    this.imports.note('deferred', 'account.import_deferred', fields, 'warn');
  }

  failed({ id: import_id }: AccountImportEntity, code: string, error: unknown): void {
    this.imports.note('failed', 'account.import_failed', { import_id, ...loggable(error), code }, 'error');
  }
}
