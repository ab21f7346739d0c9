import type { AlarmDto } from '../alarms/alarms.dto.js';
import { CHECK_TIMEOUT_MS } from '../alarms/tuning.js';
import { type Check, place } from './check.js';

const service = place('service');
const alarms = place('alarms');
const secret = place('webhook secret');

export type Raised = Pick<AlarmDto, 'code' | 'runbook' | 'acknowledged'>;
/** Returns the alarms of all processes of the service at an address, or why they cannot be read. */
export type AskAlarms = (url: string) => Promise<readonly Raised[] | string>;

/** Where the service responds if it runs; `isNamed`: the caller says that it does. */
export interface ServiceAddress {
  readonly url: string | null;
  readonly isNamed: boolean;
}

/**
 * Checks readiness, alarms and deliveries of a running service. Without `askAlarms`, reads the alarms from its metrics.
 */
export async function serviceChecks(
  { url, isNamed }: ServiceAddress,
  askAlarms: AskAlarms | undefined,
): Promise<Check[]> {
  if (url === null) return unreachable(service.skipped('PORT is 0, so the address is unknown: use --url.'));
  try {
    const [ready, metrics] = await Promise.all([text(`${url}/readyz`), text(`${url}/metrics`)]);
    const shown = raisedIn(metrics.body);
    const asked = askAlarms ? await askAlarms(url) : shown;
    const finding = typeof asked === 'string' ? alarms.bad(`The alarms cannot be read: ${asked}`) : alarmsCheck(asked);
    return [readiness(url, ready), finding, deliveries(metrics.body, typeof asked === 'string' ? shown : asked)];
  } catch {
    const finding = `No response from ${url}.`;
    return unreachable(isNamed ? service.bad(finding) : service.skipped(finding));
  }
}

function unreachable(found: Check): Check[] {
  return [
    found,
    alarms.skipped('Alarms are read from the running service, which cannot be reached.'),
    secret.skipped('Well-formed; only a running service can show whether it is correct.'),
  ];
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function text(url: string): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
  return { status: response.status, body: await response.text() };
}

function readiness(url: string, { status, body }: Answer): Check {
  if (status === 200) return service.ok(`${url} is ready.`);
  const errors = failingParts(body);
  if (errors === null) return service.bad(`${url} responds with ${status}; it is not this service.`);
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

/** Raised alarms in the metrics of the process at this address. */
function raisedIn(metrics: string): Raised[] {
  const lines = metrics.matchAll(/^pulsekeep_alarm\{code="(\w+)"\} 1$/gm);
  return Array.from(lines, ([, code]) => ({
    code: code as AlarmDto['code'],
    runbook: `docs/runbook.md#${code}`,
    acknowledged: null,
  }));
}

function alarmsCheck(raised: readonly Raised[]): Check {
  const open = raised.filter(({ acknowledged }) => !acknowledged);
  const known = raised.length - open.length;
  if (open.length === 0) return alarms.ok(known === 0 ? 'None is raised.' : `${known} raised, all acknowledged.`);
  return alarms.bad(`Raised: ${open.map(({ code, runbook }) => `${code} (${runbook})`).join(', ')}.`);
}

/**
 * The alarms distinguish a wrong secret from stray deliveries of strangers, and detect a secret that was valid before.
 */
function deliveries(metrics: string, raised: readonly Raised[]): Check {
  const count = (outcome: string): number => {
    const line = new RegExp(`^pulsekeep_messages_received_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics);
    return Number(line?.[1] ?? 0);
  };
  const isRaised = (code: string): boolean => raised.some((alarm) => alarm.code === code);
  const [taken, refused] = [count('accepted'), count('bad_signature')];
  const said = `Since its start the service accepted ${taken} deliveries and refused ${refused} for signature or timestamp`;
  // The counts are of one process; the alarm may be of another, or of the time before its restart.
  const why = refused > 0 ? `${said}; all recent ones are refused` : 'A process of the service refuses all deliveries';
  if (isRaised('deliveries_refused')) return secret.bad(`${why}. Check WEBHOOK_SECRETS.`);
  if (isRaised('deliveries_untimely')) return secret.bad(`${why}. Check the clock.`);
  if (refused > 0 && taken === 0) return secret.bad(`${said}. Check WEBHOOK_SECRETS and the clock.`);
  if (taken === 0) return secret.skipped('No delivery since the service started.');
  return secret.ok(`${said}.`);
}
