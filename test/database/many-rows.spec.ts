import type { BulkShape, GivenQuery, NumberedShape } from '../../src/database/tx.js';
import { type TestStore, testStore } from '../support/test-store.js';

describe('many rows in one call', () => {
  let store: TestStore;

  beforeEach(async () => {
    store = await testStore();
  });

  afterEach(() => store.close());

  it('inserts numbered rows with those beside them, and leaves what there was already', async () => {
    const numbers = ['received_at', 'sent_at', 'attempts', 'size'];
    const beside = (table: string, more: BulkShape['columns']): BulkShape => {
      return { table, columns: [{ name: 'seq', type: 'int' }, ...more], conflict: ['seq'], update: [] };
    };
    const bodies = beside('message_bodies', [{ name: 'body', type: 'bytes' }]);
    const keys = beside('message_keys', [
      { name: 'key_id', type: 'int' },
      { name: 'data_key', type: 'bytes' },
    ]);
    const shape: NumberedShape = {
      table: 'messages',
      columns: [
        ...numbers.map((name) => ({ name, type: 'int' as const })),
        { name: 'message_id', type: 'text' },
        { name: 'status', type: 'text' },
      ],
      conflict: ['message_id'],
      update: [],
      number: 'seq',
      beside: [bodies, keys],
    };
    const inserted = (body: string, ...ids: string[]): Promise<number> =>
      store.lane.run(
        (tx) =>
          tx.insertNumbered(
            shape,
            ids.flatMap((id) => [
              1,
              1,
              0,
              0,
              id,
              'received',
              Buffer.from(`${body} ${id}`),
              7,
              Buffer.from(`key of ${id}`),
            ]),
          ),
        { priority: 'first', calls: 'one' },
      );
    expect(await inserted('first', 'b', 'a')).toBe(2);
    expect(await inserted('second', 'a', 'c', 'b')).toBe(1);
    expect(await inserted('third')).toBe(0);
    const rows = await store.reader.few<{ message_id: string; body: Buffer; key_id: number; data_key: Buffer }>(
      `SELECT message_id, body, key_id, data_key FROM messages JOIN message_bodies USING (seq)
       JOIN message_keys USING (seq) ORDER BY message_id`,
    );
    expect(
      rows.map((row) => [row.message_id, row.key_id, `${row.body.toString()}, ${row.data_key.toString()}`]),
    ).toEqual([
      ['a', 7, 'first a, key of a'],
      ['b', 7, 'first b, key of b'],
      ['c', 7, 'second c, key of c'],
    ]);
  });

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
