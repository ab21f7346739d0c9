import type { SandboxOptions } from './options.js';
import { isSecret } from './webhooks/signing.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadEnvironment {
  options: Partial<SandboxOptions>;
  /** One line per invalid variable, with its name and never its value. */
  faults: string[];
}

type Reader = (text: string) => { value: string | number } | { fault: string };

function wholeNumber(most: number): Reader {
  return (text) => {
    const value = Number(text);
    const good = /^\d+$/.test(text) && value <= most;
    return good ? { value } : { fault: `must be a whole number from 0 to ${most}` };
  };
}

const positive: Reader = (text) => {
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? { value } : { fault: 'must be a number of 0 or more' };
};

const filled: Reader = (text) => (text.trim() === '' ? { fault: 'must not be empty' } : { value: text });

const headerName: Reader = (text) =>
  /^[A-Za-z0-9-]+$/.test(text) ? { value: text } : { fault: 'must be a header name' };

const httpUrl: Reader = (text) =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? { value: text } : { fault: 'must be an http or https address' };

const secret: Reader = (text) =>
  isSecret(text) ? { value: text } : { fault: 'must be whsec_ followed by base64 of at least 16 bytes' };

const host: Reader = (text) =>
  /^[A-Za-z0-9.:-]+$/.test(text) ? { value: text } : { fault: 'must be a host name or an address' };

const READERS: Readonly<Record<string, { key: keyof SandboxOptions; read: Reader }>> = {
  SANDBOX_HOST: { key: 'host', read: host },
  SANDBOX_PORT: { key: 'port', read: wholeNumber(65_535) },
  SANDBOX_API_KEY: { key: 'apiKey', read: filled },
  SANDBOX_API_KEY_HEADER: { key: 'apiKeyHeader', read: headerName },
  SANDBOX_SEED: { key: 'seed', read: filled },
  SANDBOX_MESSAGE_SEED: { key: 'messageSeed', read: filled },
  SANDBOX_USERS: { key: 'users', read: wholeNumber(50) },
  SANDBOX_WEBHOOK_URL: { key: 'webhookUrl', read: httpUrl },
  SANDBOX_WEBHOOK_SECRET: { key: 'webhookSecret', read: secret },
  SANDBOX_STATE_PATH: { key: 'statePath', read: filled },
  SANDBOX_TIME_SCALE: { key: 'timeScale', read: positive },
};

/** Options from the environment and every fault found; unset variables keep their defaults. */
export function readEnvironment(environment: Environment): ReadEnvironment {
  const options: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, { key, read }] of Object.entries(READERS)) {
    const text = environment[name];
    if (text === undefined) continue;
    const result = read(text);
    if ('fault' in result) faults.push(`${name} ${result.fault}`);
    else options[key] = result.value;
  }
  return { options, faults };
}
