import { storeFailure } from './dialect.js';
import { ReadFailure } from './reader-threads.js';

const coded = (code: string): Error => Object.assign(new Error('failed'), { code });

describe('an error of the store', () => {
  it.each([
    ['of a disk that fails', coded('SQLITE_IOERR_FSYNC')],
    ['of a server that only reads', coded('25006')],
    ['of a role that has lost a right', coded('42501')],
    ['of a server with damaged data', coded('XX001')],
    ['of a process without file handles', coded('EMFILE')],
    ['of a reading thread that cannot start', new ReadFailure('ERR_WORKER_INIT_FAILED', 'failed')],
  ])('%s means that the database is unavailable', (_, error) => {
    expect(storeFailure(error)).toMatchObject({ code: 'storage_unavailable', cause: error });
  });

  it.each(['SQLITE_CONSTRAINT_UNIQUE', '23505', 'ERR_WORKER_OUT_OF_MEMORY'])('%s is not changed', (code) => {
    const error = coded(code);
    expect(storeFailure(error)).toBe(error);
  });
});
