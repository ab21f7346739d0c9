import { readFileSync, statSync } from 'node:fs';
import { Secret } from '../../platform/config/secret.js';
import { isLoopback } from '../../platform/config/web-addresses.js';
import { CliFailure, type CliWorld, wrongUsage } from './world.js';

const READABLE_BY_ALL = 0o004;

/** Characters allowed in an HTTP header. The HTTP client would print a value with others in its error. */
const keyPattern = /^[\x21-\x7e]{1,1024}$/;

/** Ways in which a command may present its key. */
export interface KeyUse {
  /** Address of the service; undefined for the service of this environment. */
  readonly url: string | undefined;
  readonly keyFile: string | undefined;
  readonly insecureHttp: true | undefined;
}

/**
 * The key for --url, from the named file or else the environment. Warns if other users can read the file. Throws
 * CliFailure, also if the key would be sent unencrypted over a network.
 */
export function operatorKey(
  { url, keyFile, insecureHttp }: KeyUse,
  world: Pick<CliWorld, 'operatorKey' | 'err'>,
): Secret {
  if (url !== undefined && insecureHttp !== true) assertPrivate(new URL(url));
  const key = keyFile === undefined ? world.operatorKey() : new Secret(textOf(keyFile, world).trim());
  if (!key)
    throw wrongUsage('--url needs an operator key: --key-file PATH, or PULSEKEEP_ADMIN_KEY in the environment.');
  if (!keyPattern.test(key.reveal())) throw new CliFailure('The operator key is empty or malformed.', 'bad_key');
  return key;
}

function assertPrivate({ protocol, hostname }: URL): void {
  if (protocol === 'https:' || isLoopback(hostname) || hostname.endsWith('.localhost')) return;
  throw wrongUsage(
    '--url must be https://, because others could read the operator key in transit. Use --insecure-http to send it anyway.',
  );
}

function textOf(file: string, { err }: Pick<CliWorld, 'err'>): string {
  try {
    if ((statSync(file).mode & READABLE_BY_ALL) !== 0) {
      err.write(`Warning: other users of this machine can read the key file ${file}: chmod 600 it.\n`);
    }
    return readFileSync(file, 'utf8');
  } catch {
    throw new CliFailure('The key file cannot be read.', 'bad_key');
  }
}
