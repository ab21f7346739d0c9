import { saveMemoryWhenQuiet } from './keep-heaps-small.js';

describe('saveMemoryWhenQuiet', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('has V8 save memory while the process uses less than a fifth of a core, and not while it uses more', () => {
    let usedMs = 60_000;
    jest.spyOn(process, 'cpuUsage').mockImplementation((before) => {
      const total = { user: usedMs * 600, system: usedMs * 400 };
      return before ? { user: total.user - before.user, system: total.system - before.system } : total;
    });
    const flags: string[] = [];
    saveMemoryWhenQuiet((flag) => void flags.push(flag));
    for (const used of [999, 1_000, 10_000, 0]) {
      usedMs += used;
      jest.advanceTimersByTime(5_000);
    }
    const [on, off] = ['--memory-saver-mode', '--no-memory-saver-mode'];
    expect(flags).toEqual([on, off, off, on]);
  });
});
