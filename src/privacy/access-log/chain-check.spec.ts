import { generateKeyPairSync } from 'node:crypto';
import { SigningKey } from '../../platform/config/signing-keys.js';
import { type ChainedEntry, chained, type Entry, hashOf, noHash, removalEntry, restartEntry } from './chain.js';
import { ChainCheck, type ChainCheckOptions } from './chain-check.js';

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
    reason: null,
    resource: null,
    window_start: null,
    window_end: null,
    ...overrides,
  };
}

function log(length: number): ChainedEntry[] {
  const entries = Array.from({ length }, (_, index) => entry({ request_id: `request-${index + 1}` }));
  return chained(entries, { last_seq: 0, last_hash: noHash });
}

/** Result of checking these entries if the chain was once `whole`. */
function checked(entries: readonly ChainedEntry[], whole: readonly ChainedEntry[], options: ChainCheckOptions = {}) {
  const ends = { id: 1, first_seq: 1, anchor_hash: noHash, last_seq: whole.length, last_hash: hashAt(whole.length) };
  function hashAt(seq: number): string {
    return whole[seq - 1]?.hash ?? noHash;
  }
  const check = new ChainCheck(ends, options);
  for (const each of entries) check.follow(each);
  return check.judge();
}

const rehashed = (changed: ChainedEntry): ChainedEntry => ({ ...changed, hash: hashOf(changed) });

describe('the hash of an entry', () => {
  const placed = { ...entry(), seq: 3, previous_hash: noHash };

  it('never changes, so that kept entries and checkpoints stay verifiable', () => {
    expect(hashOf(placed)).toBe('77d44e51c658c131ae8dd884d172b9a603302a386c513fa35393230dc6b23d3d');
  });

  it.each([
    ['seq', 4],
    ['at', 1_700_000_000_001],
    ['actor', 'suppor'],
    ['role', null],
    ['action', 'GET /admin/v1/messages'],
    ['account_ref', null],
    ['target', null],
    ['resource', 'sleep'],
    ['window_start', 0],
    ['window_end', 0],
    ['address', null],
    ['request_id', 'request-2'],
    ['status', 404],
    ['reason', ''],
    ['previous_hash', 'f'.repeat(64)],
  ])('changes if %s changes', (column, value) => {
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
  const at = (seq: number): ChainedEntry => whole[seq - 1] as ChainedEntry;
  const without = (seq: number): ChainedEntry[] => whole.filter((each) => each.seq !== seq);
  const replaced = (other: ChainedEntry): ChainedEntry[] =>
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
      'two have changed places and have new hashes',
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

  it('that was completely rewritten is intact, but does not match the checkpoint', () => {
    const anew = chained(
      whole.map((each) => ({ ...each, actor: 'somebody else' })),
      { last_seq: 0, last_hash: noHash },
    );
    expect(checked(anew, anew)).toBeNull();
    expect(checked(anew, anew, { noted: [{ seq: 4, hash: at(4).hash }] })).toEqual({ seq: 4, reason: 'not_as_noted' });
    expect(checked(whole, whole, { noted: [{ seq: 4, hash: at(4).hash }] })).toBeNull();
  });

  it('that was cut together with its end lacks the entry of the checkpoint', () => {
    const cut = whole.slice(0, 3);
    expect(checked(cut, cut)).toBeNull();
    expect(checked(cut, cut, { noted: [{ seq: 5, hash: at(5).hash }] })).toEqual({ seq: 5, reason: 'noted_missing' });
  });
});

describe('a missing front', () => {
  const key = new SigningKey(generateKeyPairSync('ed25519').privateKey);
  const earlier = new SigningKey(generateKeyPairSync('ed25519').privateKey);
  const at = 1_800_000_000_000;
  const first = log(5);
  const hashAt = (seq: number): string => first[seq - 1]?.hash ?? noHash;

  /** A chain cut before `firstSeq`, whose last entries are about removals. */
  function judged(firstSeq: number, own: readonly Entry[], options: ChainCheckOptions = {}) {
    const whole = [...first, ...chained(own, { last_seq: 5, last_hash: hashAt(5) })];
    const last = whole.at(-1) as ChainedEntry;
    const ends = {
      id: 1,
      first_seq: firstSeq,
      anchor_hash: firstSeq === 1 ? noHash : hashAt(firstSeq - 1),
      last_seq: last.seq,
      last_hash: last.hash,
    };
    const check = new ChainCheck(ends, options);
    for (const each of whole.filter(({ seq }) => seq >= firstSeq)) check.follow(each);
    return [check.judge(), [...check.unproven]];
  }

  const removal = (from: number, to: number, by?: SigningKey, hash = hashAt(to)): Entry =>
    removalEntry({ from, to, hash }, at, by);

  it.each([
    ['no entry records it', [], { seq: 1, reason: 'removal_unrecorded' }],
    ['fewer removals were recorded', [removal(1, 1)], { seq: 2, reason: 'removal_unrecorded' }],
    ['more removals were recorded', [removal(1, 3)], { seq: 6, reason: 'removal_wrong' }],
    ['another hash was recorded', [removal(1, 2, undefined, hashAt(3))], { seq: 6, reason: 'removal_wrong' }],
    ['two removals overlap', [removal(1, 1), { ...removal(1, 2) }], { seq: 7, reason: 'removal_wrong' }],
    ['it cannot be parsed', [{ ...removal(1, 2), target: 'until:2' }], { seq: 6, reason: 'removal_wrong' }],
    [
      'its count is wrong',
      [{ ...removal(1, 2), target: removal(1, 2).target?.replace('count:2', 'count:3') ?? null }],
      { seq: 6, reason: 'removal_wrong' },
    ],
    ['another actor recorded it', [{ ...removal(1, 2), actor: 'support' }], { seq: 1, reason: 'removal_unrecorded' }],
  ] as const)('is a finding if %s', (_, own, found) => {
    expect(judged(3, own)[0]).toEqual(found);
  });

  it('is no finding if its removals match, which proves less without a signature', () => {
    expect(judged(3, [removal(1, 2)])).toEqual([null, ['removal_unsigned']]);
    expect(judged(4, [removal(1, 2), removal(3, 3)])).toEqual([null, ['removal_unsigned']]);
    expect(judged(4, [removal(1, 2, earlier), removal(3, 3, key)], { key })).toEqual([null, ['removal_unsigned']]);
    expect(judged(3, [removal(1, 2, key)], { key })).toEqual([null, []]);
  });

  it('is a finding if there is a key that did not sign it', () => {
    const unsigned = { seq: 6, reason: 'removal_unsigned' };
    expect(judged(3, [removal(1, 2)], { key })[0]).toEqual(unsigned);
    expect(judged(3, [removal(1, 2, earlier)], { key })[0]).toEqual(unsigned);
    const forged = { ...removal(1, 2, key), at: at + 1 };
    expect(judged(3, [forged], { key })[0]).toEqual({ seq: 6, reason: 'removal_wrong' });
  });

  it('is a finding if the entry of a checkpoint is missing', () => {
    const noted = [1, 2, 4].map((seq) => ({ seq, hash: hashAt(seq) }));
    expect(judged(3, [removal(1, 2)], { noted })[0]).toEqual({ seq: 1, reason: 'noted_missing' });
    expect(judged(3, [removal(1, 2)], { noted: noted.slice(1) })[0]).toBeNull();
  });

  it('is not reported as missing while it exists', () => {
    expect(judged(1, [removal(1, 2)])[0]).toEqual({ seq: 6, reason: 'removal_wrong' });
  });

  it('remains a finding, after others, once the row of ends was lost', () => {
    expect(judged(1, [restartEntry(5, at)])[0]).toEqual({ seq: 6, reason: 'chain_restarted' });
    expect(judged(3, [restartEntry(5, at)])[0]).toEqual({ seq: 1, reason: 'removal_unrecorded' });
  });
});
