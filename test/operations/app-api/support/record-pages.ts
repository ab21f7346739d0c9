import type { Records } from '../../../../src/health/catalogue/records.js';
import { HealthDataService } from '../../../../src/health/records/health-data.service.js';
import type { Page } from '../../../../src/platform/platform/paging.js';
import { newAccountId } from '../../../support/environment.js';
import { TestApp } from '../../../support/test-app.js';

export type Row = Record<string, unknown>;

/** Records of an account, written as pulls write them and read page by page. */
export class RecordPages {
  /** The customer's id of the account, and `accounts.id`. */
  anna = '';
  ref = 0;
  private looks = 0;

  app: TestApp;

  /** Starts an application for the tests of the current block, and gives each of them an account without records. */
  constructor() {
    beforeAll(async () => {
      this.app = await TestApp.create();
      await this.app.sandbox.control.configure({ user_limit: null });
    });
    afterAll(() => this.app.close());
    beforeEach(() => this.begin());
  }

  /** Another account without records. */
  async begin(): Promise<void> {
    this.anna = newAccountId();
    expect((await this.app.as(this.anna, 'GET', '/me')).status).toBe(200);
    const sql = 'SELECT id FROM accounts WHERE account_id = ?';
    this.ref = (await this.app.store.reader.row<{ id: number }>(sql, [this.anna]))?.id ?? 0;
  }

  async apply(records: Records): Promise<void> {
    const service = this.app.get(HealthDataService);
    const ref = ++this.looks;
    const look = { kind: 'sync', ref, page: 0, at: this.app.clock.now() + ref } as const;
    await this.app.store.lane.run(async (tx) => {
      await service.apply(tx, { account: this.ref, records, provenance: look });
    });
  }

  read(path: string) {
    return this.app.admin<Page<Row>>('GET', `/accounts/${this.anna}/records/${path}`);
  }

  /** All pages of a list, with `between` done after each. */
  async walk(path: string, between: (page: number) => Promise<void> = async () => undefined): Promise<Row[]> {
    const seen: Row[] = [];
    let cursor: string | null = null;
    for (let page = 1; page < 50; page++) {
      const { status, body } = await this.read(`${path}${cursor ? `&cursor=${cursor}` : ''}`);
      expect(status).toBe(200);
      seen.push(...body.data);
      if (body.next_cursor === null) return seen;
      cursor = body.next_cursor;
      await between(page);
    }
    throw new Error('the list does not end');
  }
}
