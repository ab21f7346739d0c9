import { estimatedEnd, shareDone } from './listed-pulls.service.js';

describe('the share done of a task', () => {
  const window = { window_start: 1_000, window_end: 2_000 };

  it.each([
    ['no record yet', 'running', null, 0],
    ['half way', 'running', 1_500, 0.5],
    ['a record beyond the window', 'running', 9_000, 1],
    ['a record before the window', 'pending', 500, 0],
    ['done without a record', 'done', null, 1],
  ] as const)('%s', (_, status, reached, share) => {
    expect(shareDone({ ...window, status, reached })).toBe(share);
  });

  it('is zero for an empty window that is not done', () => {
    expect(shareDone({ window_start: 5, window_end: 5, status: 'failed', reached: 5 })).toBe(0);
  });
});

describe('the estimated end', () => {
  it('assumes the rate of the latest tasks', () => {
    expect(estimatedEnd(10_000, 30, { finished: 10, since: 8_000 })).toBe(16_000);
  });

  it('is unknown without a rate or without work', () => {
    expect(estimatedEnd(10_000, 30, null)).toBeNull();
    expect(estimatedEnd(10_000, 30, { finished: 0, since: 8_000 })).toBeNull();
    expect(estimatedEnd(10_000, 30, { finished: 3, since: 10_000 })).toBeNull();
    expect(estimatedEnd(10_000, 0, { finished: 10, since: 8_000 })).toBeNull();
  });
});
