import type { Readable } from 'node:stream';
import axios from 'axios';
import type { Config, UpstreamConfig } from '../../platform/config/config.js';
import type { IgnoredConfig } from '../../platform/config/ignored-config.js';
import type { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { parseHttpDate } from '../../platform/platform/time.js';
import { type Check, place } from './check.js';

const PATIENCE_MS = 5_000;
/** An id that has no user: the check only needs to know whether the key is accepted. */
const noUser = 'pulsekeep-doctor';

const key = place('upstream key');
const clockPlace = place('clock');

/**
 * Makes one call with the key to check reachability, the key and the clock. Bypasses the upstream client, because that
 * retries failures and does not expose response headers. Never reads the body.
 */
export async function upstreamChecks({ upstream, webhook, ignored }: Config, clock: Clock): Promise<Check[]> {
  const { host } = new URL(upstream.baseUrl);
  try {
    const { status, date } = await asked(upstream);
    return [keyCheck(status, host), clockCheck(date, clock.now(), webhook.toleranceSeconds)];
  } catch (error) {
    const { code, error: className } = describeError(error);
    const finding = `UPSTREAM_BASE_URL: ${host} cannot be reached (${code ?? className}).${aboutProxy(ignored)}`;
    return [key.bad(finding), clockPlace.skipped("Upstream's clock cannot be read.")];
  }
}

/** Empty, or a sentence with a leading space. */
export function aboutProxy({ proxies }: IgnoredConfig): string {
  if (proxies.length === 0) return '';
  return ` This service ignores ${proxies.join(', ')} and connects directly: allow direct connections to upstream and the issuer.`;
}

async function asked({ baseUrl, apiKey, apiKeyHeader }: UpstreamConfig): Promise<{ status: number; date: unknown }> {
  const { status, headers, data } = await axios.get<Readable>(`${baseUrl}/v2/user/resolve/${noUser}`, {
    headers: { [apiKeyHeader]: apiKey.current.reveal() },
    responseType: 'stream',
    validateStatus: () => true,
    maxRedirects: 0,
    proxy: false,
    timeout: PATIENCE_MS,
  });
  data.destroy();
  return { status, date: headers['date'] };
}

function keyCheck(status: number, host: string): Check {
  if (status === 200 || status === 404) return key.ok(`${host} accepts it.`);
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
