import { createHash } from 'node:crypto';
import type { Config } from '../../src/platform/config/config.js';
import { ConfigError, readConfig } from '../../src/platform/config/environment.js';
import type { Environment } from '../../src/platform/config/sources.js';

export const catalogue = ['sleep', 'mindfulness_minutes', 'blood_pressure', 'steps'];
/** Resources that `SAMPLES_KEEP_DAYS` may name. */
const measures = ['blood_pressure', 'glucose', 'heartrate'];
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
export const whsec = (bytes: number, fill = 7) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;

export const valid = {
  UPSTREAM_BASE_URL: 'https://api.sandbox.us.upstream.test',
  UPSTREAM_API_KEY: 'sk_us_synthetic-key',
  UPSTREAM_REGION: 'us',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  WEBHOOK_SECRETS: 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY',
  APP_JWT_SECRET: 'synthetic-secret-of-at-least-32-bytes',
  ADMIN_API_KEYS: `desk:operator:${sha256('desk')}`,
};

export function read(changes: Environment = {}): Config {
  return readConfig({ ...valid, ...changes }, catalogue, measures);
}

export function refusal(environment: Environment): ConfigError {
  try {
    readConfig(environment, catalogue, measures);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

export function problems(changes: Environment): string[] {
  return refusal({ ...valid, ...changes }).problems.map(({ variable, problem }) => `${variable} ${problem}`);
}
