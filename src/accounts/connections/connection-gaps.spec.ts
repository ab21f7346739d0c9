import { gapsOf } from './connection-gaps.js';

const change = (provider: string, status: string, at: number, since = at) => ({ provider, status, at, since });
const open = Number.MAX_SAFE_INTEGER;

describe('the times in which a source was not connected', () => {
  it.each([
    ['none while it stays connected', [change('oura', 'connected', 10)], []],
    ['from the time of the error, not from when we heard of it', [change('oura', 'error', 30, 20)], [[20, open]]],
    [
      'until it was seen connected again',
      [change('oura', 'connected', 10), change('oura', 'error', 30, 20), change('oura', 'connected', 40)],
      [[20, 40]],
    ],
    [
      'over several states',
      [change('oura', 'paused', 30, 20), change('oura', 'disconnected', 35, 33), change('oura', 'connected', 40)],
      [[20, 40]],
    ],
    [
      'each for itself',
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
