import { readFileSync } from 'node:fs';
import { problems, read } from '../../../test/support/configurations.js';
import { unknownVariables } from './unknown-variables.js';
import { variables } from './variables.js';

const unknownIn = (...names: string[]) => unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])));

/** Names of variables in the "Removed" sections of the CHANGELOG. */
function removedNames(): string[] {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^###? /m);
  const removed = sections.filter((section) => section.startsWith('Removed')).join('\n');
  const changed = ['ACCOUNT_LAB_CALLS_PER_MINUTE', 'ACCOUNT_TOKENS_PER_MINUTE'];
  return [...changed, ...Array.from(removed.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g), ([, name = '']) => name)];
}

describe('variables that are not ours', () => {
  it.each([
    ['ADMIN_API_KEY', 'ADMIN_API_KEYS'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABASE_HOST', 'DATABASE_URL'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['HTTP_KEEPALIVE_SECONDS', 'HTTP_KEEP_ALIVE_SECONDS'],
    ['JWT_ISSUER', 'APP_JWT_ISSUER'],
    ['database_url', 'DATABASE_URL'],
    ['PULSEKEEP_ADMIN_KEYS', 'PULSEKEEP_ADMIN_KEY'],
  ])('are noticed if they look like ours: %s', (name, nearest) => {
    expect(unknownIn(name)).toEqual([{ name, nearest, refused: false }]);
    expect(read({ [name]: 'x' }).ignored.unknown).toEqual([{ name, nearest, refused: false }]);
  });

  it('are noticed if an earlier version read them', () => {
    expect(removedNames().length).toBeGreaterThan(8);
    const gone = removedNames().filter((name) => !Object.hasOwn(variables, name));
    expect(unknownIn(...gone).map(({ name }) => name)).toEqual(gone);
  });

  it('are not noticed if other programs read them', () => {
    const others = [
      ...['PATH', 'HOME', 'HOSTNAME', 'LANG', 'TZ', 'NODE_ENV', 'NODE_OPTIONS', 'JAVA_HOME', 'npm_config_cache', '_'],
      ...['APP_NAME', 'APP_ENV', 'APP_KEY', 'APP_PORT', 'DB_HOST', 'DB_URL', 'LOG_FORMAT', 'LOG_FILE', 'REDIS_URL'],
      ...['HTTP_PORT', 'HTTPS_PROXY', 'NO_PROXY', 'POSTGRES_PASSWORD', 'PGHOST', 'PGPASSWORD', 'SESSION_SECRET'],
      ...['KUBERNETES_SERVICE_HOST', 'KUBERNETES_PORT', 'KUBERNETES_PORT_443_TCP_ADDR', 'POD_NAME', 'SSL_CERT_FILE'],
      ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'SENTRY_DSN', 'WEB_CONCURRENCY', 'NODE_EXTRA_CA_CERTS'],
      ...[
        'URL',
        'TOKEN',
        'ADMIN_KEY',
        'OPENAI_API_KEY',
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        'INVOCATION_ID',
        'JOURNAL_STREAM',
        'SYSTEMD_EXEC_PID',
      ],
    ];
    expect(unknownIn(...others, ...Object.keys(variables))).toEqual([]);
  });

  it('are listed next to missing ones, for which they may be meant', () => {
    expect(problems({ ADMIN_API_KEYS: undefined, ADMIN_API_KEY: 'x' })).toEqual([
      'ADMIN_API_KEY is not a variable of this service; the nearest is ADMIN_API_KEYS',
      'ADMIN_API_KEYS is required',
    ]);
  });
});
