import { storageUnavailable } from '../storage/database/dialect.js';
import { CannotListen, listening, reasonOf } from './start-failure.js';

function ofDriver(code: string): Error {
  return Object.assign(new Error('with a value of a row'), { code });
}

describe('the reason why a start failed', () => {
  it('is reported if another program locks the file for longer than a start waits', () => {
    const reason = reasonOf(storageUnavailable(ofDriver('SQLITE_BUSY')));
    expect(reason).toBe('DATABASE_URL: another program has the file locked (SQLITE_BUSY).');
  });

  it('is otherwise the class and the code of the error, never its text', () => {
    const reason = reasonOf(storageUnavailable(ofDriver('SQLITE_IOERR')));
    expect(reason).toMatch(/^Could not start: \{.*storage_unavailable.*SQLITE_IOERR/);
    expect(reason).not.toContain('value of a row');
  });
});

describe('listening', () => {
  const refusing = (code: string, refused: string[]) => {
    const tried: string[] = [];
    const listen = async (host: string): Promise<string> => {
      tried.push(host);
      if (refused.includes(host)) throw ofDriver(code);
      return host;
    };
    return { tried, listen };
  };

  it('on all addresses falls back to IPv4 on a machine without IPv6', async () => {
    const { listen } = refusing('EAFNOSUPPORT', ['::']);
    expect(await listening({ host: '::', port: 80 }, listen)).toBe('0.0.0.0');
  });

  it.each([
    ['::', 'EADDRINUSE', ['::']],
    ['::1', 'EAFNOSUPPORT', ['::1']],
    ['::', 'EAFNOSUPPORT', ['::', '0.0.0.0']],
  ])('on %s fails with %s', async (host, code, expected) => {
    const { tried, listen } = refusing(code, ['::', '::1', '0.0.0.0']);
    await expect(listening({ host, port: 80 }, listen)).rejects.toThrow(CannotListen);
    expect(tried).toEqual(expected);
  });
});
