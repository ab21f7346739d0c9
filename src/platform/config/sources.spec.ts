import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config.js';
import { ConfigError, readConfig } from './environment.js';
import { type Environment, withSecretFiles } from './sources.js';
import { variables } from './variables.js';

const secrets: Record<string, string> = {
  DATABASE_URL: 'sqlite:/marked/keep.sqlite',
  DATABASE_KEY: 'AB'.repeat(32),
  UPSTREAM_API_KEY: 'sk_us_marked',
  WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
  APP_JWT_SECRET: 'a-marked-secret-of-at-least-32-bytes',
  ADMIN_API_KEYS: `desk:operator:${createHash('sha256').update('marked').digest('hex')}`,
  ACCESS_LOG_KEY: generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  AUDIT_REPORT_KEYS: generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  PUSH_SIGNING_KEYS: 'a-marked-key-of-push-of-at-least-32-bytes',
  WEBHOOK_AMQP_URL: 'amqps://marked-user:a-marked-password@mq.example.test',
  PUSH_BROKER_LOGINS: 'amqps://marked-user:a-marked-password@mq.example.test',
  PAGERDUTY_ROUTING_KEY: 'markedKeyOfPagerDuty000000000000',
  CLIENT_ID_SECRET: 'a-third-marked-secret-of-at-least-32-bytes',
  ERASURE_FENCE_SECRETS: 'another-marked-secret-of-32-bytes-and-more',
  OIDC_CLIENT_SECRET: 'a-marked-secret-of-a-client',
};
const rest = {
  UPSTREAM_BASE_URL: 'https://api.us.upstream.test',
  UPSTREAM_REGION: 'us',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  OIDC_ISSUER: 'https://login.example.test',
  OIDC_CLIENT_ID: 'console',
  OIDC_ROLES: 'groups:sre=operator',
  WEBHOOK_AMQP_QUEUE: 'events',
};

describe('a secret in a file', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function file(name: string, content: string): string {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  }

  const read = (environment: Environment): Config =>
    readConfig(environment, ['sleep', 'mindfulness_minutes', 'blood_pressure']);

  function problems(environment: Environment): string[] {
    try {
      read(environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.message).not.toMatch(/marked|secrets-/);
      return error.problems.map(({ variable, problem }) => `${variable} ${problem}`);
    }
    return [];
  }

  it('may be any secret variable', () => {
    const all = Object.entries(variables).flatMap(([name, variable]) => (variable.secret ? [name] : []));
    expect([...Object.keys(secrets), 'DATABASE_READ_URL'].sort()).toEqual(all.sort());
  });

  it('may be the address of a replica, which SQLite does not have', () => {
    const { DATABASE_KEY: _1, ...given } = secrets;
    const url = 'postgres://marked@standby.test/keep';
    const urls = { DATABASE_URL: 'postgres://marked@db.test/keep', DATABASE_READ_URL_FILE: file('url', url) };
    const { database } = read({ ...given, ...rest, ...urls });
    expect(database.kind === 'postgres' && database.readUrl?.reveal()).toBe(url);
  });

  it.each(['', '\n', '\r\n', '\n\n'])('is read with %j at its end', (end) => {
    const files = Object.entries(secrets).map(([name, value]): [string, string] => [
      `${name}_FILE`,
      file(name, `${value}${end}`),
    ]);
    const config = read({ ...rest, ...Object.fromEntries<string>(files) });
    expect(config.upstream.apiKey.current.reveal()).toBe('sk_us_marked');
    const { path, key } = config.database.kind === 'sqlite' ? config.database : {};
    expect([path, key?.reveal()]).toEqual(['/marked/keep.sqlite', 'ab'.repeat(32)]);
    expect(config.admin.keys.current.map(({ name }) => name)).toEqual(['desk']);
    expect([config.webhook.secrets.current.length, config.appAuth.secret?.current?.symmetricKeySize]).toEqual([1, 36]);
  });

  it.each(Object.keys(secrets))('may not be set directly as well: %s', (name) => {
    const both = { ...rest, ...secrets, [`${name}_FILE`]: file('both', secrets[name] ?? '') };
    expect(problems(both)).toEqual([`${name}_FILE and ${name} must not both be set`]);
  });

  it('is reported by its variable name alone if it is unreadable, empty or invalid', () => {
    mkdirSync(join(folder, 'marked'));
    const { APP_JWT_SECRET: _1, UPSTREAM_API_KEY: _2, WEBHOOK_SECRETS: _3, DATABASE_URL: _4, ...given } = secrets;
    const found = problems({
      ...rest,
      ...given,
      APP_JWT_SECRET_FILE: join(folder, 'marked-and-not-there'),
      UPSTREAM_API_KEY_FILE: join(folder, 'marked'),
      WEBHOOK_SECRETS_FILE: file('empty', '\n'),
      DATABASE_URL_FILE: file('wrong', 'marked'),
    });
    expect(found.sort()).toEqual([
      'APP_JWT_SECRET_FILE names a file that cannot be read (ENOENT)',
      'DATABASE_URL must be sqlite:PATH or postgres://...',
      'UPSTREAM_API_KEY_FILE names a file that cannot be read (EISDIR)',
      'WEBHOOK_SECRETS_FILE names an empty file',
    ]);
  });

  it.each([
    ['UTF-16, little-endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16, big-endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ])('is read in %s', (_, encoded) => {
    const { APP_JWT_SECRET: secret = '', ...given } = secrets;
    const path = join(folder, 'encoded');
    writeFileSync(path, encoded(`${secret}\r\n`));
    const { environment } = withSecretFiles({ ...given, APP_JWT_SECRET_FILE: path });
    expect(environment['APP_JWT_SECRET']?.trim()).toBe(secret);
  });

  it.each([
    ['UTF-16 without a mark', Buffer.from('marked-marked-marked-marked-marked', 'utf16le')],
    ['bytes that are no text', Buffer.from([0x41, 0xe9, 0x42])],
  ])('is refused in %s, instead of becoming a secret that nobody has', (_, bytes) => {
    const { APP_JWT_SECRET: _secret, ...given } = secrets;
    const path = join(folder, 'encoded');
    writeFileSync(path, bytes);
    expect(problems({ ...rest, ...given, APP_JWT_SECRET_FILE: path })).toEqual([
      'APP_JWT_SECRET_FILE names a file that cannot be read (not UTF-8)',
    ]);
  });

  it('is not read for a variable that is not secret', () => {
    expect(problems({ ...rest, ...secrets, UPSTREAM_REGION_FILE: 'x' })).toEqual([
      'UPSTREAM_REGION_FILE is not a variable of this service; the nearest is UPSTREAM_REGION',
    ]);
  });

  it('may accompany an empty variable', () => {
    const given = { ...rest, ...secrets, UPSTREAM_API_KEY: '', UPSTREAM_API_KEY_FILE: file('key', 'sk_us_other') };
    expect(read(given).upstream.apiKey.current.reveal()).toBe('sk_us_other');
    expect(read({ ...rest, ...secrets, UPSTREAM_API_KEY_FILE: ' ' }).upstream.apiKey.current.reveal()).toBe(
      'sk_us_marked',
    );
  });
});
