import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import axios, { type AxiosInstance } from 'axios';
import { SignJWT } from 'jose';
import { type Running, type Start, startProgram } from '../harness/processes.js';
import { SandboxControl } from '../sandbox/control-client.js';

export const resources = ['sleep', 'mindfulness_minutes', 'blood_pressure'] as const;
export const providers = ['oura', 'fitbit', 'garmin', 'withings'] as const;
export const accounts = 20;
export const historyDays = 90;

/** Factor by which upstream's waits (pulls, retries) are shortened. */
const TIME_SCALE = 60;

/** Both programs on free loopback ports with new keys, and clients for the three kinds of callers. */
export interface World {
  readonly folder: string;
  readonly pulsekeep: Running;
  readonly sandbox: Running;
  readonly control: SandboxControl;
  readonly operatorKey: string;
  readonly backendKey: string;
  readonly feedKey: string;
  /** Signs the access tokens of the customer's users. */
  readonly appSecret: string;
  /** Webhook secret after upstream's rotation. */
  readonly nextWebhookSecret: string;
  admin(): AxiosInstance;
  /** Access token of a signed-in user in the customer's app; `lifetime` as in `10m`. */
  token(account: string, lifetime: string): Promise<string>;
  /** Calls as the app of a signed-in user. */
  app(account: string): Promise<AxiosInstance>;
  stop(): Promise<void>;
}

/** Secrets of callers and upstream. */
export interface Keys {
  readonly secrets: readonly [string, string];
  readonly operatorKey: string;
  /** Role backend: the customer's own backend. */
  readonly backendKey: string;
  /** Role feed+values: a service that follows the changes. */
  readonly feedKey: string;
  readonly appSecret: string;
  /** Signs pushes. */
  readonly pushKey: string;
  /** Signs reports about audits. */
  readonly reportKey: string;
  /** Signs checkpoints of the access log. */
  readonly logKey: string;
}

export function newKeys(): Keys {
  return {
    secrets: [newSecret(), newSecret()],
    operatorKey: randomBytes(24).toString('hex'),
    backendKey: randomBytes(24).toString('hex'),
    feedKey: randomBytes(24).toString('hex'),
    appSecret: randomBytes(32).toString('hex'),
    pushKey: randomBytes(32).toString('hex'),
    reportKey: newSigningKey(),
    logKey: newSigningKey(),
  };
}

function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** Variables of the service that this program sets, so that they cannot be given. */
export const ownVariables = [
  'DATABASE_URL',
  'UPSTREAM_BASE_URL',
  'UPSTREAM_API_KEY',
  'UPSTREAM_REGION',
  'UPSTREAM_ENVIRONMENT',
  'WEBHOOK_SECRETS',
  'APP_JWT_SECRET',
  'PUSH_SIGNING_KEYS',
  'ADMIN_API_KEYS',
] as const;

export interface WorldOptions {
  /** A folder with a database of an earlier start; a new one unless given. */
  readonly folder?: string;
  readonly keys?: Keys;
  /** Variables of the service; they override those of the demo. */
  readonly env?: Readonly<Record<string, string>>;
  /** Number of this start with the same folder: upstream keeps its state over all of them. */
  readonly start?: number;
  readonly watch?: Pick<Start, 'onRestart'>;
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { folder = newFolder(), keys = newKeys(), env = {}, start, watch } = options;
  const { secrets, operatorKey, backendKey, feedKey, appSecret, pushKey, reportKey, logKey } = keys;
  const sandbox = await startProgram(
    'sandbox/main.js',
    {
      SANDBOX_PORT: '0',
      SANDBOX_SEED: 'demo',
      SANDBOX_MESSAGE_SEED: `demo ${start ?? 0}`,
      ...(start !== undefined && { SANDBOX_STATE_PATH: join(folder, 'upstream.state') }),
      SANDBOX_WEBHOOK_SECRET: secrets[0],
      SANDBOX_TIME_SCALE: `${TIME_SCALE}`,
    },
    join(folder, 'sandbox.log'),
  );
  const control = new SandboxControl(sandbox.url);
  const ofService: Readonly<Record<string, string>> = {
    PORT: '0',
    DRAIN_SECONDS: '0',
    DATABASE_URL: `sqlite:${join(folder, 'pulsekeep.sqlite')}`,
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: 'sk_us_sandbox',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    UPSTREAM_REQUESTS_PER_SECOND: '500',
    WEBHOOK_SECRETS: [secrets[1], secrets[0]].join(','),
    APP_JWT_SECRET: appSecret,
    PUSH_SIGNING_KEYS: pushKey,
    AUDIT_REPORT_KEYS: reportKey,
    ACCESS_LOG_KEY: logKey,
    PUSH_ALLOWED_NETWORKS: '127.0.0.0/8,::1',
    ADMIN_API_KEYS: [
      entryOf('demo', 'operator', operatorKey),
      entryOf('backend', 'backend', backendKey),
      entryOf('mirror', 'feed+values', feedKey),
    ].join(','),
    SYNC_RESOURCES: resources.join(','),
    SYNC_BACKFILL_DAYS: String(historyDays),
    ...env,
  };
  const starting = startProgram('src/main.js', ofService, join(folder, 'pulsekeep.log'), watch);
  const pulsekeep = await starting.catch(async (error: unknown) => {
    await sandbox.stop();
    throw error;
  });
  writeVariables(join(folder, 'service.env'), { ...ofService, PORT: new URL(pulsekeep.url).port });
  await control.configureWebhooks({ url: `${pulsekeep.url}/webhooks` });
  await control.fault({ kind: 'duplicate', rate: 0.3 });
  await control.fault({ kind: 'shuffle' });
  const client = (token: string): AxiosInstance => clientOf(pulsekeep.url, token);
  return {
    folder,
    pulsekeep,
    sandbox,
    control,
    operatorKey,
    backendKey,
    feedKey,
    appSecret,
    nextWebhookSecret: secrets[1],
    admin: () => client(operatorKey),
    token: (account, lifetime) => customerToken(appSecret, account, lifetime),
    app: async (account) => client(await customerToken(appSecret, account, '10m')),
    stop: async () => {
      await pulsekeep.stop();
      await sandbox.stop();
    },
  };
}

/** Calls a service with a token or key. */
export function clientOf(baseURL: string, token: string): AxiosInstance {
  return axios.create({ baseURL, headers: { authorization: `Bearer ${token}` } });
}

function newFolder(): string {
  const base = resolve('data');
  mkdirSync(base, { recursive: true });
  return mkdtempSync(join(base, 'demo-'));
}

/** For commands beside the service: a shell reads the file. */
function writeVariables(path: string, variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`);
  writeFileSync(path, lines.join(''), { mode: 0o600 });
}

function entryOf(name: string, role: string, key: string): string {
  return `${name}:${role}:${createHash('sha256').update(key).digest('hex')}`;
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

/** An access token as issued by the customer's login; `lifetime` as in `10m`. */
export function customerToken(secret: string, account: string, lifetime: string): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(account)
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(new TextEncoder().encode(secret));
}
