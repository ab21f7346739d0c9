import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { AxiosError, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { QueryFailedError } from 'typeorm';
import { SqliteDatabase } from '../../storage/database/sqlite-driver.js';
import { AppError, CodedError, describeError } from './errors.js';

const marker = 'MARKED-SECRET-7f3a';

function printed(value: unknown): string {
  return `${inspect(value, { depth: null, showHidden: true })} ${JSON.stringify(value)}`;
}

function axiosError(): AxiosError {
  const config: InternalAxiosRequestConfig = {
    url: `https://api.example.test/v2/user/${marker}`,
    headers: new AxiosHeaders({ 'x-service-api-key': marker }),
    data: { note: marker },
    params: { token: marker },
  };
  const response = {
    status: 503,
    statusText: marker,
    headers: { 'set-cookie': marker },
    config,
    data: { detail: marker },
  };
  return new AxiosError(`Request failed: ${marker}`, 'ERR_BAD_RESPONSE', config, { path: marker }, response as never);
}

function sqliteError(): unknown {
  const database = new SqliteDatabase(':memory:');
  try {
    database.exec(`CREATE TABLE sample (note TEXT CHECK (note <> '${marker}'))`);
    database.prepare('INSERT INTO sample VALUES (?)').run(marker);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
}

describe('describeError', () => {
  it('shows class, code and status of an axios error and none of its content', () => {
    const error = axiosError();
    expect(printed(error)).toContain(marker);
    const description = describeError(error);
    expect(description).toMatchObject({ error: 'AxiosError', code: 'ERR_BAD_RESPONSE', status: 503 });
    expect(printed(description)).not.toContain(marker);
  });

  it('shows class and driver code of a failed query and none of its parameters', () => {
    const error = new QueryFailedError(`INSERT INTO sample VALUES ('${marker}')`, [marker], sqliteError() as Error);
    expect(printed(error)).toContain(marker);
    const description = describeError(error);
    expect(description).toMatchObject({ error: 'QueryFailedError', code: 'SQLITE_CONSTRAINT_CHECK' });
    expect(printed(description)).not.toContain(marker);
  });

  it('takes an SQLSTATE from the driver error', () => {
    const driverError = Object.assign(new Error(marker), { code: '23505', detail: marker, table: marker });
    const description = describeError(new QueryFailedError('SELECT 1', [marker], driverError));
    expect(description.code).toBe('23505');
    expect(printed(description)).not.toContain(marker);
  });

  it.each(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
    'shows the fault %s of a certificate',
    (code) => expect(describeError(Object.assign(new Error(marker), { code })).code).toBe(code),
  );

  it('names the direct cause by class and code only', () => {
    const error = new AppError('storage_unavailable', 'The store is not available.', { cause: sqliteError() });
    const description = describeError(error);
    expect(description).toMatchObject({ error: 'AppError', code: 'storage_unavailable' });
    expect(description.cause).toBe('SqliteError:SQLITE_CONSTRAINT_CHECK');
    expect(printed(description)).not.toContain(marker);
  });

  it('drops a code, kind and class that are not plain names', () => {
    class Odd extends Error {
      code = `${marker} 1`;
      kind = marker;
      status = Number.NaN;
    }
    Object.defineProperty(Odd, 'name', { value: `Odd ${marker}` });
    const description = describeError(new Odd(marker));
    expect(description).toEqual({ error: 'Error', at: expect.any(String) });
    expect(printed(description)).not.toContain(marker);
  });

  it('describes an error of another realm', () => {
    const foreign: unknown = runInNewContext(`Object.assign(new TypeError('${marker}'), { code: 'ENOENT' })`);
    expect(foreign instanceof Error).toBe(false);
    expect(describeError(foreign)).toMatchObject({ error: 'TypeError', code: 'ENOENT' });
  });

  it('keeps the kind of an error that has one', () => {
    class Refused extends CodedError {
      readonly code = 'upstream_rejected';
      readonly kind = 'rejected';
      readonly status = 400;
    }
    expect(describeError(new Refused('Refused.'))).toMatchObject({
      error: 'Refused',
      code: 'upstream_rejected',
      kind: 'rejected',
      status: 400,
    });
  });

  it('shows the place: file and line relative to the project', () => {
    expect(describeError(new Error('x')).at).toMatch(/^src\/platform\/platform\/errors\.spec\.ts:\d+$/);
  });

  it('does not read a line of the message as a place', () => {
    const error = new Error(`x\n    at read (/srv/${marker}.js:1:1)`);
    const description = describeError(error);
    expect(description.at).toMatch(/^src\/platform\/platform\/errors\.spec\.ts:\d+$/);
    error.message = 'changed since';
    expect(describeError(error)).toEqual({ error: 'Error' });
  });

  it.each([
    ['a string', marker, 'string'],
    ['an object', { message: marker }, 'object'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
  ])('shows only the type of %s that was thrown', (_what, thrown, expected) => {
    expect(describeError(thrown)).toEqual({ error: expected });
  });
});

describe('AppError', () => {
  it('carries code, cause, fields and retry time', () => {
    const cause = new Error('below');
    const fields = [{ field: 'limit', message: 'limit must be a whole number' }];
    const error = new AppError('rate_limited', 'Slow down.', { cause, fields, retryAfterSeconds: 3 });
    expect(error).toMatchObject({ name: 'AppError', code: 'rate_limited', cause, fields, retryAfterSeconds: 3 });
  });
});
