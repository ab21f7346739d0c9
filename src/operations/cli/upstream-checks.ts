import type { Readable } from 'node:stream';
import axios from 'axios';
import type { Config, UpstreamConfig } from '../../platform/config/config.js';
import type { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { parseHttpDate } from '../../platform/platform/time.js';
import { type Check, place } from './check.js';

const PATIENCE_MS = 10_000;
/** Nobody's id: what is asked does not matter, only whether the key is taken. */
const nobody = 'pulsekeep-doctor';

const key = place('upstream key');
const clockPlace = place('clock');

/**
 * One call with the key: whether upstream is there, takes the key, and what time it has. Not by the client, which
 * repeats what fails and keeps the headers of answers to itself; the body is never read.
 */
export async function upstreamChecks({ upstream, webhook }: Config, clock: Clock): Promise<Check[]> {
  const { host } = new URL(upstream.baseUrl);
  try {
    const { status, date } = await asked(upstream);
    return [keyCheck(status, host), clockCheck(date, clock.now(), webhook.toleranceSeconds)];
  } catch (error) {
    const { code, error: className } = describeError(error);
    const finding = `UPSTREAM_BASE_URL: ${host} cannot be reached (${code ?? className}).`;
    return [key.bad(finding), clockPlace.skipped("Upstream's clock cannot be read.")];
  }
}

async function asked({ baseUrl, apiKey, apiKeyHeader }: UpstreamConfig): Promise<{ status: number; date: unknown }> {
  const { status, headers, data } = await axios.get<Readable>(`${baseUrl}/v2/user/resolve/${nobody}`, {
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
  if (status === 200 || status === 404) return key.ok(`${host} takes it.`);
  if (status === 401 || status === 403) {
    return key.bad(
      `UPSTREAM_API_KEY: ${host} refuses it (${status}). Is it of this region and environment, and is ` +
        'UPSTREAM_API_KEY_HEADER right?',
    );
  }
  if (status === 429) return key.ok(`${host} takes it and asks to slow down (429).`);
  if (status >= 500) return key.bad(`${host} is not well (${status}); nothing can be said about the key.`);
  return key.bad(`UPSTREAM_BASE_URL: ${host} answers ${status}, and not as upstream does.`);
}

/** Deliveries are refused when the clocks differ by more than the tolerance. */
function clockCheck(date: unknown, now: number, toleranceSeconds: number): Check {
  const theirs = parseHttpDate(String(date));
  if (theirs === null) return clockPlace.skipped('Upstream does not say what time it is.');
  const seconds = Math.round((now - theirs) / 1_000);
  const said = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} upstream's`;
  if (Math.abs(seconds) <= Math.max(5, toleranceSeconds / 2)) return clockPlace.ok(`It is ${said}.`);
  return clockPlace.bad(`It is ${said}; deliveries are refused beyond ${toleranceSeconds} s. Set the clock.`);
}
