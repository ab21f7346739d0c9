import { namedIdsIn } from './named-ids.js';

const id = '0b6f1c9a-1111-4222-8333-444455556666';

function idsIn(body: string): { uuids: string[]; clientUserIds: string[] } {
  const search = namedIdsIn(Buffer.from(body));
  for (let step = search.next(); ; step = search.next()) {
    if (step.done) return { uuids: [...step.value.uuids], clientUserIds: [...step.value.clientUserIds] };
  }
}

describe('ids in a body', () => {
  it.each([
    ['at any depth', JSON.stringify({ data: [[{ order: { results: [{ order_id: id.toUpperCase() }] } }]] })],
    ['in a body that is not JSON', `order ${id}, broken {`],
    ['across the boundary of two slices', `${' '.repeat(262_130)}${id}${' '.repeat(300_000)}`],
  ])('are found %s', (_, body) => {
    expect(idsIn(body).uuids).toEqual([id]);
  });

  it('of the customer are found only in their field, even with escaped characters', () => {
    const body = JSON.stringify({ data: { to: { client_user_id: 'käthe "1"' } }, note: 'other' });
    expect(idsIn(body).clientUserIds).toEqual(['käthe "1"']);
    expect(idsIn('{"client_user_id": "\\q"}').clientUserIds).toEqual([]);
  });
});
