import { hrefOf, listOf, listWords } from './lists.js';

const since = '2026-11-03T07:00:12.000Z';
const now = Date.parse('2026-11-03T09:30:59Z');

describe('the list to which an alarm refers', () => {
  it.each([
    ['dead_messages', '/messages?status=dead'],
    ['failed_historical_pulls', '/pulls?list=historical&status=failure'],
    ['stuck_historical_pulls', '/pulls?list=historical&running=more_than_a_day'],
    ['silence', '/pulls?from=2026-11-03T07%3A00%3A12.000Z&list=recoveries&to=2026-11-03T09%3A30%3A00.000Z'],
  ] as const)('of %s is at %s', (code, href) => {
    const list = listOf(code);
    expect(list && hrefOf(list, since, now)).toBe(href);
  });

  it('is named after the objects that the alarm counts', () => {
    const dead = listOf('dead_messages');
    expect([1, 1_200, null].map((count) => dead && listWords(dead, count))).toEqual([
      'Open message',
      'Open 1,200 messages',
      'Dead messages',
    ]);
  });
});
