import { compareRecords, type StoredRecord } from '../../harness/compare.js';
import type { TestApp } from './test-app.js';

/** Compares the stored records of an account with upstream's truth; every record counts. */
export async function compareWithTruth(
  app: Pick<TestApp, 'admin' | 'sandbox'>,
  account: { account_id: string; user_id: string },
  resource: string,
): Promise<{ upstream: number; stored: number; differing: number }> {
  const records: StoredRecord[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/accounts/${account.account_id}/records/${resource}?limit=500${cursor ? `&cursor=${cursor}` : ''}`;
    const page: { status: number; body: { data: StoredRecord[]; next_cursor: string | null } } = await app.admin(
      'GET',
      path,
    );
    expect(page.status).toBe(200);
    records.push(...page.body.data);
    cursor = page.body.next_cursor;
  } while (cursor);
  return compareRecords(app.sandbox.control, account.user_id, resource, records);
}
