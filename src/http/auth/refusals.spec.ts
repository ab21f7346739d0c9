import { AppError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Refusals } from './refusals.js';

describe('refused credentials', () => {
  const lines: Record<string, unknown>[] = [];
  let refusals: Refusals;

  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    refusals = new Refusals(new Metrics(), new Log({ level: 'info', destination: { write } }));
  });

  afterEach(() => jest.useRealTimers());

  const refuse = async (reason: string, times: number): Promise<void> => {
    const check = (): never => {
      throw new AppError('unauthorized', 'MARKED', { reason });
    };
    for (let time = 0; time < times; time++) await expect(refusals.counted('app', check)).rejects.toThrow();
  };

  it('make one log line a minute for each reason, and none if there are none', async () => {
    await refuse('expired', 500);
    await refuse('missing', 3);
    expect(lines).toEqual([]);
    jest.advanceTimersByTime(60_000);
    expect(lines).toMatchObject([
      { event: 'http.credentials_refused', kind: 'app', code: 'unauthorized', reason: 'expired', count: 500 },
      { event: 'http.credentials_refused', kind: 'app', code: 'unauthorized', reason: 'missing', count: 3 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('MARKED');
    jest.advanceTimersByTime(600_000);
    expect(lines).toHaveLength(2);
    await refuse('expired', 1);
    jest.advanceTimersByTime(60_000);
    expect(lines[2]).toMatchObject({ reason: 'expired', count: 1 });
  });

  it('are logged at the end of the process as well', async () => {
    await refuse('expired', 2);
    refusals.onApplicationShutdown();
    expect(lines).toMatchObject([{ reason: 'expired', count: 2 }]);
  });
});
