import type { GivenQuery } from '../../src/database/tx.js';
import { type TestStore, testStore } from '../support/test-store.js';

describe('many rows in one call', () => {
  let store: TestStore;

  beforeEach(async () => {
    store = await testStore();
  });

  afterEach(() => store.close());

  it('reads numbers, bytes and nothing that are given', async () => {
    const query: GivenQuery = {
      columns: [
        { name: 'number', type: 'int' },
        { name: 'bytes', type: 'bytes' },
      ],
      sql: 'SELECT number, bytes FROM given WHERE number IS NOT NULL ORDER BY number',
    };
    const given = [1, Buffer.from([0, 255, 92]), 2, null, 3, Buffer.alloc(0)];
    const rows = await store.lane.run((tx) => tx.given<[number, Buffer | null]>(query, given));
    expect(rows.flat()).toEqual(given);
  });
});
