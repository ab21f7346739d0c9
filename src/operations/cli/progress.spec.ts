import { Writable } from 'node:stream';
import { displayOf, estimatedEnd, type Progress } from './progress.js';
import type { CliWorld } from './world.js';

interface Watched extends Pick<CliWorld, 'err' | 'clock'> {
  readonly said: () => string;
}

function world(isTTY: boolean): Watched {
  let text = '';
  const stream = new Writable({ write: (chunk: Buffer, _, done) => ((text += chunk.toString()), done()) });
  const terminal = { cursorTo: () => true, clearLine: () => true, moveCursor: () => true, columns: 200 };
  return {
    err: Object.assign(stream, terminal, { isTTY }),
    clock: { now: () => at, monotonic: () => at },
    said: () => text,
  };
}

let at = 0;
const standing = (share: number | null, counts: string): Progress => ({
  label: 'pulls',
  share,
  counts,
  estimatedEnd: null,
});

describe('progress', () => {
  beforeEach(() => {
    at = 0;
  });

  it('without a terminal is a line at a change, at most every three seconds, and at the end', () => {
    const { said, ...rest } = world(false);
    const display = displayOf(rest);
    for (const [time, share] of [
      [0, 0],
      [1_000, 0.2],
      [2_900, 0.3],
      [3_000, 0.4],
      [6_000, 0.4],
      [6_100, 0.5],
    ] as const) {
      at = time;
      display.show(standing(share, `${share * 10} of 10`));
    }
    display.show({ ...standing(0.999, '9 of 10'), estimatedEnd: '2026-11-21T12:00:00.000Z' });
    display.end();
    display.end();
    const lines = [
      '0 %, 0 of 10',
      '40 %, 4 of 10',
      '50 %, 5 of 10',
      '99 %, 9 of 10, ends about 2026-11-21T12:00:00.000Z',
    ];
    expect(said()).toBe(lines.map((line) => `pulls: ${line}\n`).join(''));
  });

  it('has an estimated end after the first percent', () => {
    expect([0.0001, 0.25, 1].map((share) => estimatedEnd(share, 0, 1_000))).toEqual([
      null,
      '1970-01-01T00:00:04.000Z',
      null,
    ]);
  });

  it('is a line immediately when another step begins', () => {
    const { said, ...rest } = world(false);
    const display = displayOf(rest);
    display.show({ ...standing(null, '3 accounts'), label: 'planning' });
    display.show(standing(0, '0 of 4'));
    display.show(standing(0.5, '2 of 4'));
    expect(said()).toBe('planning: 3 accounts\npulls: 0 %, 0 of 4\n');
  });

  it('shows only counts while the total is unknown', () => {
    const { said, ...rest } = world(false);
    displayOf(rest).show(standing(null, '12 accounts'));
    expect(said()).toBe('pulls: 12 accounts\n');
  });

  it('is a bar on a terminal, which is released at the end', () => {
    const { said, ...rest } = world(true);
    const display = displayOf(rest);
    display.show(standing(0.25, '1 of 4'));
    display.show(standing(1, '4 of 4'));
    display.end();
    expect(said()).toContain('pulls [');
    expect(said()).toContain('100% | 4 of 4');
  });
});
