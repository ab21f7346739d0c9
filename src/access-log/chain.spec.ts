import type { AccessEntryEntity } from './access-log.entity.js';
import { chained, type Entry, hashOf } from './chain.js';
import { ChainCheck } from './chain-check.js';

const noHash = '0'.repeat(64);

function entry(overrides: Partial<Entry> = {}): Entry {
  return {
    at: 1_700_000_000_000,
    actor: 'support',
    role: 'reader',
    action: 'GET /admin/v1/messages/:message_id',
    account_ref: 7,
    target: 'message:msg_1',
    address: '10.0.0.7',
    request_id: 'request-1',
    status: 200,
    ...overrides,
  };
}

function log(length: number): AccessEntryEntity[] {
  const entries = Array.from({ length }, (_, index) => entry({ request_id: `request-${index + 1}` }));
  return chained(entries, { last_seq: 0, last_hash: noHash });
}

/** What a check says of these entries where the chain once was `whole`. */
function checked(
  entries: readonly AccessEntryEntity[],
  whole: readonly AccessEntryEntity[],
  noted: { seq: number; hash: string } | null = null,
) {
  const last = whole.at(-1);
  const ends = {
    id: 1,
    first_seq: 1,
    anchor_hash: noHash,
    last_seq: last?.seq ?? 0,
    last_hash: last?.hash ?? noHash,
  };
  const check = new ChainCheck(ends, noted);
  for (const each of entries) check.follow(each);
  check.end();
  return check.found;
}

const rehashed = (changed: AccessEntryEntity): AccessEntryEntity => ({ ...changed, hash: hashOf(changed) });

describe('the hash of an entry', () => {
  const placed = { ...entry(), seq: 3, previous_hash: noHash };

  it('stays what it was when the first entries were written', () => {
    expect(hashOf(placed)).toBe('3ee1057e6f8ef3effa21828b2181794965341911ca117734cdba3f9b363b1b57');
  });

  it.each([
    ['seq', 4],
    ['at', 1_700_000_000_001],
    ['actor', 'suppor'],
    ['role', null],
    ['action', 'GET /admin/v1/messages'],
    ['account_ref', null],
    ['target', null],
    ['address', null],
    ['request_id', 'request-2'],
    ['status', 404],
    ['previous_hash', 'f'.repeat(64)],
  ])('is another when %s is', (column, value) => {
    expect(hashOf({ ...placed, [column]: value })).not.toBe(hashOf(placed));
  });

  it('does not let a text move from one column into the next', () => {
    const one = { ...placed, target: 'a', address: 'b","c' };
    const other = { ...placed, target: 'a","b', address: 'c' };
    expect(hashOf(one)).not.toBe(hashOf(other));
    expect(hashOf({ ...placed, target: 'null' })).not.toBe(hashOf({ ...placed, target: null }));
  });
});

describe('a chain', () => {
  it('goes on from its head without gaps', () => {
    const first = log(3);
    const more = chained([entry(), entry()], { last_seq: 3, last_hash: String(first[2]?.hash) });
    expect([...first, ...more].map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(more[0]?.previous_hash).toBe(first[2]?.hash);
    expect(checked([...first, ...more], [...first, ...more])).toBeNull();
    expect(checked([], [])).toBeNull();
  });

  const whole = log(5);
  const at = (seq: number): AccessEntryEntity => whole[seq - 1] as AccessEntryEntity;
  const without = (seq: number): AccessEntryEntity[] => whole.filter((each) => each.seq !== seq);
  const replaced = (other: AccessEntryEntity): AccessEntryEntity[] =>
    whole.map((each) => (each.seq === other.seq ? other : each));

  it.each([
    ['the first entry is removed', without(1), { seq: 1, reason: 'entry_missing' }],
    ['one in the middle is removed', without(3), { seq: 3, reason: 'entry_missing' }],
    ['the last is removed', without(5), { seq: 5, reason: 'entry_missing' }],
    ['all are removed', [], { seq: 1, reason: 'entry_missing' }],
    ['one is changed', replaced({ ...at(3), actor: 'other' }), { seq: 3, reason: 'entry_changed' }],
    ['one is changed with its hash', replaced(rehashed({ ...at(3), actor: 'x' })), { seq: 4, reason: 'link_broken' }],
    [
      'the last is changed with its hash',
      replaced(rehashed({ ...at(5), actor: 'x' })),
      { seq: 5, reason: 'end_changed' },
    ],
    [
      'two have changed places',
      [at(1), { ...at(3), seq: 2 }, { ...at(2), seq: 3 }, at(4), at(5)],
      { seq: 2, reason: 'entry_changed' },
    ],
    [
      'two have changed places with hashes made anew',
      [at(1), rehashed({ ...at(3), seq: 2 }), rehashed({ ...at(2), seq: 3 }), at(4), at(5)],
      { seq: 2, reason: 'link_broken' },
    ],
    [
      'one is removed and the rest moved up',
      [at(1), ...whole.slice(2).map((each) => rehashed({ ...each, seq: each.seq - 1 }))],
      { seq: 2, reason: 'link_broken' },
    ],
  ] as const)('is broken when %s', (_, entries, found) => {
    expect(checked(entries, whole)).toEqual(found);
  });

  it('that was written anew as a whole is whole, but not as noted', () => {
    const anew = chained(
      whole.map((each) => ({ ...each, actor: 'somebody else' })),
      { last_seq: 0, last_hash: noHash },
    );
    expect(checked(anew, anew)).toBeNull();
    expect(checked(anew, anew, { seq: 4, hash: at(4).hash })).toEqual({ seq: 4, reason: 'not_as_noted' });
    expect(checked(whole, whole, { seq: 4, hash: at(4).hash })).toBeNull();
  });

  it('that was cut together with its end lacks what was noted', () => {
    const cut = whole.slice(0, 3);
    expect(checked(cut, cut)).toBeNull();
    expect(checked(cut, cut, { seq: 5, hash: at(5).hash })).toEqual({ seq: 4, reason: 'entry_missing' });
  });
});
