import { AlarmsWorker } from '../../../../src/operations/alarms/alarms.worker.js';
import type { OverviewDto } from '../../../../src/operations/overview/overview.dto.js';
import type { SqlInput } from '../../../../src/storage/database/dialect.js';
import { writeRow } from '../../../support/tables.js';
import type { TestApp } from '../../../support/test-app.js';

/** Rows the overview counts, and the overview itself after a round of the alarms. */
export class OverviewCase {
  constructor(
    readonly app: TestApp,
    readonly now: number,
  ) {}

  insert(table: string, row: Readonly<Record<string, SqlInput>>): Promise<number> {
    return writeRow(this.app.store, table, row);
  }

  async overview(): Promise<OverviewDto> {
    await this.app.chainAccesses();
    await this.app.run(AlarmsWorker);
    return (await this.app.admin<OverviewDto>('GET', '/overview')).body;
  }

  account(id: number, status: string): Promise<number> {
    const times = { created_at: this.now, updated_at: this.now };
    return this.insert('accounts', { id, account_id: `account-${id}`, status, ...times });
  }

  connection(account_id: number, provider: string, status: string): Promise<number> {
    return this.insert('connections', { account_id, provider, status, observed_at: this.now });
  }

  message(message_id: string, status: string, received_at: number): Promise<number> {
    const due_at = status === 'received' || status === 'retry' ? received_at : null;
    const times = { received_at, sent_at: received_at, due_at };
    return this.insert('messages', { message_id, status, ...times, attempts: 0, size: 0 });
  }
}
