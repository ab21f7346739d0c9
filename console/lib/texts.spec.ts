import { age, length, local } from './ages.js';
import { curlOf } from './commands.js';
import { placesOf } from './places.js';
import { pieces, remediesOf } from './runbook.js';
import { shortened } from './shortened.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe('ages', () => {
  it.each([
    [4_900, '4 s'],
    [60 * SECOND, '1 min'],
    [119 * 60 * SECOND, '119 min'],
    [2 * HOUR, '2 h'],
    [47 * HOUR, '47 h'],
    [48 * HOUR, '2 days'],
  ])('%i ms are %s', (ms, words) => {
    expect(length(ms)).toBe(words);
  });

  it('look back and ahead', () => {
    expect([age(0, 5_000), age(5_000, 0), age(0, 400)]).toEqual(['5 s ago', 'in 5 s', 'now']);
  });
});

describe('times', () => {
  it('name the day before the month, and the year unless it is the current one', () => {
    expect(local(new Date(2025, 8, 3, 7, 5, 9).getTime())).toBe('3 Sep 2025, 07:05:09');
    expect(local(new Date(new Date().getFullYear(), 10, 30, 23, 0).getTime())).toBe('30 Nov, 23:00:00');
  });
});

describe('curlOf', () => {
  it('builds the same call with a key from the environment', () => {
    expect(curlOf('https://h.test', 'listMessages', { query: { status: 'dead', reason: "it's" } })).toBe(
      `curl -H "Authorization: Bearer $PULSEKEEP_ADMIN_KEY" 'https://h.test/admin/v1/messages?status=dead&reason=it'\\''s'`,
    );
  });

  it('includes the method, the ids of the path and the body', () => {
    const command = curlOf('https://h.test', 'releaseHeldDeletion', { path: { id: 7 }, body: { reason: 'gone' } });
    expect(command).toContain('-X POST');
    expect(command).toContain(`-d '{"reason":"gone"}' 'https://h.test/admin/v1/deletions/7/release'`);
  });
});

describe('placesOf', () => {
  it('leads to the page of each kind, and to the account for a kind without a page', () => {
    const id = '7c2e91d4-0000-4000-8000-000000000001';
    const hits = [
      { kind: 'account', id: 'a/b', account_id: 'a/b' },
      { kind: 'order_transaction', id, account_id: 'a/b' },
      { kind: 'message', id: 'msg_1', account_id: null },
      { kind: 'parsing_job', id, account_id: 'a/b' },
      { kind: 'parsing_job', id, account_id: null },
    ];
    expect(placesOf(hits)).toEqual([
      { href: '/accounts/a%2Fb', name: 'account a/b' },
      { href: `/orders/${id}`, name: `order transaction ${id} · a/b` },
      { href: '/messages/msg_1', name: 'message msg_1' },
      { href: '/accounts/a%2Fb', name: `parsing job ${id} · a/b` },
    ]);
  });
});

describe('the runbook', () => {
  const markdown = `# Runbook\n\n## silence\n\n**Meaning**: no message for \`HOURS\`\nin a row. **Check** whether [this](x.md) holds.\n\n## next\n\n**Action**: wait.\n`;

  it('is split into sections by alarm code', () => {
    expect(remediesOf(markdown).get('silence')).toEqual([
      { name: 'Meaning', text: 'No message for `HOURS` in a row.' },
      { name: 'Check', text: 'Whether [this](x.md) holds.' },
    ]);
    expect(remediesOf(markdown).get('next')).toEqual([{ name: 'Action', text: 'Wait.' }]);
  });

  it('has code and words', () => {
    expect(pieces('Set `A` as [said](x.md).')).toEqual([
      { text: 'Set ', isCode: false },
      { text: 'A', isCode: true },
      { text: ' as said.', isCode: false },
    ]);
  });
});

describe('shortened', () => {
  it('removes the middle of a long id', () => {
    expect([shortened('short'), shortened('7c2e91d4-1111-2222-3333-4444444405af')]).toEqual([
      'short',
      '7c2e91d4-11…405af',
    ]);
  });
});
