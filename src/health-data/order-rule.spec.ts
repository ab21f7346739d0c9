import { judgeSample, judgeSummary } from './order-rule.js';

describe('order rule for samples', () => {
  const message = (observation: number) => ({ observation, kind: 'message' as const });
  const page = (observation: number) => ({ observation, kind: 'sync' as const });

  it.each([
    ['nothing stored, message', null, message(5), false, { write: true, conflict: false }],
    ['nothing stored, page', null, page(5), false, { write: true, conflict: false }],
    ['same content, later message', 4, message(5), true, { write: true, conflict: false }],
    ['same content, earlier page', 6, page(5), true, { write: false, conflict: false }],
    ['other content, later message: news or a late retry', 4, message(5), false, { write: true, conflict: true }],
    ['other content, earlier message replayed', 6, message(5), false, { write: false, conflict: false }],
    ['other content, later page', 4, page(5), false, { write: true, conflict: false }],
    ['other content, page begun before the message came', 6, page(5), false, { write: false, conflict: true }],
    ['other content of the very same look', 5, page(5), false, { write: true, conflict: false }],
  ])('%s', (_, stored, incoming, sameContent, verdict) => {
    expect(judgeSample(stored, incoming, sameContent)).toEqual(verdict);
  });
});

describe('order rule for summaries', () => {
  const at = (version: number, observation: number) => ({ version, observation });

  it.each([
    ['nothing stored', null, at(10, 1), true],
    ['newer version seen earlier', at(10, 9), at(11, 1), true],
    ['older version seen later', at(10, 1), at(9, 9), false],
    ['equal version seen later', at(10, 1), at(10, 2), true],
    ['equal version seen earlier', at(10, 2), at(10, 1), false],
  ])('%s', (_, stored, incoming, write) => {
    expect(judgeSummary(stored, incoming)).toBe(write);
  });
});
