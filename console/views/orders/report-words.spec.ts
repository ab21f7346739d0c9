import { reportWords } from './report-words.js';

describe('a lab report', () => {
  it.each([
    ['completed', null, 'received', null],
    ['failed', null, 'failed', 'Upload a better file'],
    ['started', { due_at: '2026-11-20T12:00:00Z', last_error: null }, 'waiting', null],
    ['started', { due_at: null, last_error: 'not_found' }, 'unknown', 'Ask upstream, or upload it again'],
    [null, null, 'waiting', null],
  ])('that is %s with the read %j is %s', (status, read, state, act) => {
    expect(reportWords({ status, read })).toMatchObject({ state, act });
  });
});
