import { PostgresConfig } from '../../platform/config/database-config.js';
import { Secret } from '../../platform/config/secret.js';
import { opening, openingOnceUp } from './opening.js';

const config = (query = ''): PostgresConfig =>
  new PostgresConfig({ kind: 'postgres', url: new Secret(`postgres://keeper:marked@db.test/keep${query}`) });
const failing = (code: string | undefined, message = 'marked'): (() => Promise<never>) => {
  return () => Promise.reject(Object.assign(new Error(message), code === undefined ? {} : { code }));
};

describe('a PostgreSQL that cannot be opened', () => {
  it.each([
    [
      '28000',
      '',
      'it refuses the login without TLS: create the role, add sslmode=verify-full, or allow this address in its pg_hba.conf',
    ],
    ['28000', '?sslmode=verify-full', 'it refuses the login'],
    ['28P01', '', 'it refuses the login'],
    ['57P03', '', 'it is starting up or recovering; start again once it takes connections'],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      '?sslmode=require',
      'its certificate is not trusted: add sslmode=verify-full&sslrootcert=FILE with the CA of the server',
    ],
    ['CERT_HAS_EXPIRED', '?sslmode=require', 'its certificate has expired: renew it'],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      '?sslmode=require',
      'its certificate is for another host name: use the name in the certificate',
    ],
    [
      'ENOENT',
      '?sslrootcert=/none',
      'a file that the address names (a socket, sslrootcert, sslcert or sslkey) does not exist',
    ],
  ])('gives cause and remedy for %s with %p', async (code, query, said) => {
    await expect(opening(config(query), failing(code))).rejects.toThrow(
      `DATABASE_URL: the database at db.test cannot be used: ${said} (${code}).`,
    );
  });

  it('reports that it offers no TLS', async () => {
    const opened = opening(
      config('?sslmode=require'),
      failing(undefined, 'The server does not support SSL connections'),
    );
    await expect(opened).rejects.toThrow(
      'it does not offer TLS: turn TLS on there, or remove sslmode from the address',
    );
  });

  it('is retried for a limited time while it starts up, with one log line', async () => {
    let tries = 0;
    let said = 0;
    const waiting = (): void => void said++;
    const open = async (): Promise<string> => (++tries < 4 ? failing('57P03')() : 'open');
    expect(await openingOnceUp(config(), open, waiting, 0)).toBe('open');
    expect([tries, said]).toEqual([4, 1]);
    await expect(openingOnceUp(config(), failing('57P03'), waiting, 0)).rejects.toThrow('starting up');
    await expect(openingOnceUp(config(), failing('28P01'), waiting, 0)).rejects.toThrow('login');
    expect(said).toBe(2);
  });
});
