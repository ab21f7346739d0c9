// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import type { GivenQuery, NumberedShape } from '../../../src/storage/database/tx.js';
import { type TestStore, testStore } from '../../support/test-store.js';

describe('a call with many rows', () => {
  let store: TestStore;

  beforeEach(async () => {
    store = await testStore();
  });

  afterEach(() => store.close());

  it('inserts rows that are numbered in order, with their dependent rows, each once', async () => {
    const shape: NumberedShape = {
      table: 'messages',
      columns: [
        ...['received_at', 'sent_at', 'size', 'attempts'].map((name) => ({ name, type: 'int' as const })),
        { name: 'message_id', type: 'text' },
        { name: 'status', type: 'text' },
      ],
      number: 'seq',
      conflict: 'message_id',
      beside: [
        {
          table: 'message_bodies',
          columns: [
            { name: 'seq', type: 'int' },
            { name: 'body', type: 'bytes' },
          ],
        },
      ],
    };
    const insert = (...ids: string[]): Promise<number> =>
      store.lane.run(
        (tx) =>
          tx.insertNumbered(
            shape,
            ids.flatMap((id) => [1, 1, 0, 0, id, 'received', Buffer.from(`body of ${id}`)]),
          ),
        { priority: 'first', calls: 'one' },
      );
    expect([await insert('b', 'a', 'b'), await insert('c', 'b'), await insert()]).toEqual([2, 1, 0]);
    const rows = await store.reader.few<{ message_id: string; body: Buffer }>(
      'SELECT message_id, body FROM messages JOIN message_bodies USING (seq) ORDER BY seq',
    );
    expect(rows.map((row) => [row.message_id, row.body.toString()])).toEqual(
      ['b', 'a', 'c'].map((id) => [id, `body of ${id}`]),
    );
  });

  it('reads given numbers, bytes and nulls', async () => {
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
