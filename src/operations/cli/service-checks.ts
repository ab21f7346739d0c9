import { type Check, place } from './check.js';

const PATIENCE_MS = 5_000;

const service = place('service');
const secret = place('webhook secret');

/** Checks readiness and deliveries of a running service. */
export async function serviceChecks(url: string | null): Promise<Check[]> {
  const unknown = 'Well-formed; only a running service shows whether it is correct.';
  if (url === null)
    return [service.skipped('PORT is 0, so the address is unknown: use --url.'), secret.skipped(unknown)];
  try {
    const [ready, metrics] = await Promise.all([text(`${url}/readyz`), text(`${url}/metrics`)]);
    return [readiness(url, ready), deliveries(metrics.body)];
  } catch {
    return [service.skipped(`No response from ${url}.`), secret.skipped(unknown)];
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function text(url: string): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
  return { status: response.status, body: await response.text() };
}

function readiness(url: string, { status, body }: Answer): Check {
  if (status === 200) return service.ok(`${url} is ready.`);
  const errors = failingParts(body);
  if (errors === null) return service.bad(`${url} responds with ${status}, unlike this service.`);
  return service.bad(`${url} is not ready: ${errors.join('; ')}.`);
}

/** Null if the response is not from this service. */
function failingParts(body: string): string[] | null {
  try {
    const { code, errors } = JSON.parse(body) as { code?: string; errors?: { field: string; message: string }[] };
    return code === 'not_ready' ? (errors ?? []).map(({ field, message }) => `${field}: ${message}`) : null;
  } catch {
    return null;
  }
}

function deliveries(metrics: string): Check {
  const count = (outcome: string): number => {
    const line = new RegExp(`^pulsekeep_messages_received_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics);
    return Number(line?.[1] ?? 0);
  };
  const [taken, refused] = [count('accepted'), count('bad_signature')];
  const said = `Since its start the service accepted ${taken} deliveries and refused ${refused} for signature or timestamp`;
  if (refused > 0 && taken === 0) {
    return secret.bad(`${said}. Check WEBHOOK_SECRETS and the clock.`);
  }
  if (taken === 0) return secret.skipped('No delivery since the service started.');
  return secret.ok(`${said}.`);
}
