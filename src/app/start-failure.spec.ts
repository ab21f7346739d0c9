import { storageUnavailable } from '../storage/database/dialect.js';
import { reasonOf } from './start-failure.js';

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
