import axios from 'axios';
import type { Config, UpstreamConfig } from '../../platform/config/config.js';
import type { IgnoredConfig } from '../../platform/config/ignored-config.js';
import type { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { parseHttpDate } from '../../platform/platform/time.js';
import { CHECK_TIMEOUT_MS } from '../alarms/tuning.js';
import { type Check, place } from './check.js';

/** An id that has no user: the check only needs to know whether the key is accepted. */
const noUser = 'pulsekeep-doctor';
const MAX_ANSWER_BYTES = 65_536;

const key = place('upstream key');
const clockPlace = place('clock');

/**
 * Makes one call with the key to check reachability, the key and the clock. Bypasses the upstream client, because that
 * retries failures and does not expose response headers. Of the body, only its form counts: a login page or the note of
 * a proxy comes with the status 200, too.
 */
export async function upstreamChecks({ upstream, webhook, ignored }: Config, clock: Clock): Promise<Check[]> {
  const { host } = new URL(upstream.baseUrl);
  try {
    const { status, date, body } = await asked(upstream);
    return [keyCheck(status, host, body), clockCheck(date, clock.now(), webhook.toleranceSeconds)];
  } catch (error) {
    const finding = `UPSTREAM_BASE_URL: ${host} ${failureOf(error)}.${aboutProxy(ignored)}`;
    return [key.bad(finding), clockPlace.skipped("Upstream's clock cannot be read.")];
  }
}

/** Empty, or a sentence with a leading space. */
export function aboutProxy({ proxies }: IgnoredConfig): string {
  if (proxies.length === 0) return '';
  return ` This service ignores ${proxies.join(', ')} and connects directly: allow direct connections to upstream and the issuer.`;
}

interface Answer {
  readonly status: number;
  readonly date: unknown;
  readonly body: string;
}

async function asked({ baseUrl, apiKey, apiKeyHeader }: UpstreamConfig): Promise<Answer> {
  const { status, headers, data } = await axios.get<string>(`${baseUrl}/v2/user/resolve/${noUser}`, {
    headers: { [apiKeyHeader]: apiKey.current.reveal() },
    responseType: 'text',
    transformResponse: (text: string) => text,
    maxContentLength: MAX_ANSWER_BYTES,
    validateStatus: () => true,
    maxRedirects: 0,
    proxy: false,
    signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
  });
  return { status, date: headers['date'], body: data };
}

function failureOf(error: unknown): string {
  const { code, error: className } = describeError(error);
  if (code === 'ERR_CANCELED') return `does not answer within ${CHECK_TIMEOUT_MS / 1_000} s`;
  if (code === 'ERR_BAD_RESPONSE') return 'breaks off its response, or sends a longer one than upstream';
  return `cannot be reached (${code ?? className})${adviceOn(code)}`;
}

/** What to do about a certificate that is refused with this code; empty for any other fault. */
export function adviceOn(code = ''): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return '; its certificate is for another host name';
  if (/^CERT_/.test(code)) return '; its certificate is not valid now';
  if (!/^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code)) return '';
  return '; name the CA of its certificate in NODE_EXTRA_CA_CERTS, if it is your own';
}

function isObject(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

function keyCheck(status: number, host: string, body: string): Check {
  if (status === 200 || status === 404) {
    if (isObject(body)) return key.ok(`${host} accepts it.`);
    return key.bad(`UPSTREAM_BASE_URL: ${host} responds with ${status}, but not in JSON; it is not upstream.`);
  }
  if (status === 401 || status === 403) {
    return key.bad(
      `UPSTREAM_API_KEY: ${host} refuses it (${status}). Check that it belongs to this region and ` +
        'environment, and check UPSTREAM_API_KEY_HEADER.',
    );
  }
  if (status === 429) return key.ok(`${host} accepts it but throttles calls (429).`);
  if (status >= 500) return key.bad(`${host} fails (${status}), so the key could not be checked.`);
  return key.bad(`UPSTREAM_BASE_URL: ${host} responds with ${status}; it is not upstream.`);
}

/** Deliveries are refused if the clocks differ by more than the tolerance. */
function clockCheck(date: unknown, now: number, toleranceSeconds: number): Check {
  const theirs = parseHttpDate(String(date));
  if (theirs === null) return clockPlace.skipped('The response of upstream has no Date header.');
  const seconds = Math.round((now - theirs) / 1_000);
  const said = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} upstream's`;
  if (Math.abs(seconds) <= Math.max(5, toleranceSeconds / 2)) return clockPlace.ok(`It is ${said}.`);
  return clockPlace.bad(`It is ${said}; deliveries are refused beyond ${toleranceSeconds} s. Set the clock.`);
}
