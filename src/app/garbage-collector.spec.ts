import { saveMemoryWhenQuiet } from './garbage-collector.js';

describe('saveMemoryWhenQuiet', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** Whether V8 saves memory after each second, in which the process used so many milliseconds. */
  function savesAfter(used: readonly number[]): boolean[] {
    let totalMs = 60_000;
    jest.spyOn(process, 'cpuUsage').mockImplementation((before) => {
      const total = { user: totalMs * 600, system: totalMs * 400 };
      return before ? { user: total.user - before.user, system: total.system - before.system } : total;
    });
    let isSaving = false;
    saveMemoryWhenQuiet((flag) => (isSaving = flag === '--memory-saver-mode'));
    return used.map((ms) => {
      totalMs += ms;
      jest.advanceTimersByTime(1_000);
      return isSaving;
    });
  }

  const seconds = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

  it('has V8 save memory from 10 to 40 s after the process became quiet', () => {
    const saves = savesAfter(seconds(60, 199));
    expect(saves).toEqual([...seconds(9, false), ...seconds(30, true), ...seconds(21, false)]);
  });

  it('stops saving within a second of work, and begins anew when that is over', () => {
    const saves = savesAfter([...seconds(12, 0), 200, ...seconds(10, 0)]);
    expect(saves).toEqual([...seconds(9, false), ...seconds(3, true), false, ...seconds(9, false), true]);
  });
});
