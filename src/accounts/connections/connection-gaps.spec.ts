import { gapsOf } from './connection-gaps.js';

const change = (provider: string, status: string, at: number, since = at) => ({ provider, status, at, since });
const open = Number.MAX_SAFE_INTEGER;

describe('the gaps of a source', () => {
  it.each([
    ['do not exist while it stays connected', [change('oura', 'connected', 10)], []],
    ['begin when the error occurred, not when it was observed', [change('oura', 'error', 30, 20)], [[20, open]]],
    [
      'end when it was seen connected again',
      [change('oura', 'connected', 10), change('oura', 'error', 30, 20), change('oura', 'connected', 40)],
      [[20, 40]],
    ],
    [
      'continue over several states',
      [change('oura', 'paused', 30, 20), change('oura', 'disconnected', 35, 33), change('oura', 'connected', 40)],
      [[20, 40]],
    ],
    [
      'are separate',
      [
        ...[change('oura', 'error', 20), change('oura', 'connected', 30)],
        ...[change('oura', 'error', 50, 45), change('oura', 'connected', 60)],
      ],
      [
        [20, 30],
        [45, 60],
      ],
    ],
  ])('%s', (_, changes, expected) => {
    const found = gapsOf([change('fitbit', 'error', 1), ...changes]).get('oura') ?? [];
    expect(found.map(({ start, end }) => [start, end])).toEqual(expected);
  });
});
