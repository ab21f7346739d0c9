import { readFileSync } from 'node:fs';
import { Secret } from '../../platform/config/secret.js';
import { CliFailure, wrongUsage } from './world.js';

/** Characters of an HTTP header; the HTTP client would print other values in its error. */
const keyPattern = /^[\x21-\x7e]{1,1024}$/;

/** The key for --url: from the named file, else from the environment. Throws CliFailure. */
export function operatorKey(file: string | undefined, ofEnvironment: () => Secret | undefined): Secret {
  const key = file === undefined ? ofEnvironment() : new Secret(textOf(file).trim());
  if (!key)
    throw wrongUsage('--url needs an operator key: --key-file PATH, or PULSEKEEP_ADMIN_KEY in the environment.');
  if (!keyPattern.test(key.reveal())) throw new CliFailure('The operator key is empty or malformed.', 'bad_key');
  return key;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new CliFailure('The key file cannot be read.', 'bad_key');
  }
}
