import { type Check, place } from './check.js';

const PATIENCE_MS = 5_000;

const service = place('service');
const secret = place('webhook secret');

/** What a running service says of itself to anybody: whether it is ready, and which deliveries it took and refused. */
export async function serviceChecks(url: string | null): Promise<Check[]> {
  const unknown = 'It has the right form; whether it is the right one shows in a running service.';
  if (url === null)
    return [service.skipped('PORT is 0, so its address is not known: say --url.'), secret.skipped(unknown)];
  try {
    const [ready, metrics] = await Promise.all([text(`${url}/readyz`), text(`${url}/metrics`)]);
    return [readiness(url, ready), deliveries(metrics.body)];
  } catch {
    return [service.skipped(`Nothing answers at ${url}.`), secret.skipped(unknown)];
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
  if (errors === null) return service.bad(`${url} answers ${status}, and not as this service does.`);
  return service.bad(`${url} is not ready: ${errors.join('; ')}.`);
}

/** Null for an answer that is not of this service. */
function failingParts(body: string): string[] | null {
  try {
    const { code, errors } = JSON.parse(body) as { code?: string; errors?: { field: string; message: string }[] };
    return code === 'not_ready' ? (errors ?? []).map(({ field, message }) => `${field}: ${message}`) : null;
  } catch {
    return null;
  }
}

/** A secret is wrong when deliveries come and none of them is signed with it. */
function deliveries(metrics: string): Check {
  const count = (outcome: string): number => {
    const line = new RegExp(`^pulsekeep_messages_received_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics);
    return Number(line?.[1] ?? 0);
  };
  const [taken, refused] = [count('accepted'), count('bad_signature')];
  const said = `Since the service started it took ${taken} deliveries and refused ${refused} for signature or time`;
  if (refused > 0 && taken === 0) {
    return secret.bad(`${said}. Is WEBHOOK_SECRETS of this endpoint, and the clock right?`);
  }
  if (taken === 0) return secret.skipped('No delivery has come since the service started.');
  return secret.ok(`${said}.`);
}
