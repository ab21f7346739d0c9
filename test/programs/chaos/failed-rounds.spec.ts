import { failedRounds } from '../../../chaos/failed-rounds.js';

const line = (fields: Record<string, unknown>): string => JSON.stringify({ level: 'error', ...fields });
const failed = { event: 'worker.round_failed', worker: 'order-sync', error: 'SqliteError' };

describe('failed rounds in a log', () => {
  it('are reported by worker, error and code, with their count', () => {
    const text = [line({ ...failed, code: 'SQLITE_ERROR' }), line({ ...failed, code: 'SQLITE_ERROR' }), line(failed)];
    expect(failedRounds(text.join('\n'))).toEqual([
      'rounds failed: order-sync SqliteError SQLITE_ERROR (2)',
      'rounds failed: order-sync SqliteError (1)',
    ]);
  });

  it('do not count if the database was unavailable', () => {
    expect(failedRounds(line({ ...failed, code: 'storage_unavailable' }))).toEqual([]);
  });

  it('are not read from other lines, nor from an incomplete one', () => {
    expect(failedRounds(`${line({ event: 'worker.idle' })}\n${line(failed).slice(0, -9)}`)).toEqual([]);
  });
});
