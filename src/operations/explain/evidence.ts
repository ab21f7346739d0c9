import { reachOf } from '../../health/clock/day-spans.js';
import type { Covered } from '../../ingest/streams/coverage.js';
import { overlaps } from '../../platform/platform/time.js';
import type { Case, EvidenceKind, SourceCase } from './case.js';
import { type NoteCode, sayNote } from './day-notes.js';
import { auditedOf } from './equal-days.js';
import { connectionFinding, historyFinding, streamFinding, taskFinding } from './findings.js';
import { isSilent, obstaclesOf } from './obstacles.js';
import { notesOf, tasksOf } from './rule.js';
import { counted, moment, neverConnected, word } from './words.js';

/** Reference to details; `id` is in the form that their routes accept. */
export interface EvidenceRef {
  readonly type: 'account' | 'connection' | 'historical_pull' | 'task' | 'message';
  readonly id: string;
}

/** One finding; contains only names, codes, counts and times. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** Epoch milliseconds; null if it holds at all times. */
  readonly at: number | null;
  /** Null if it is not about one source. */
  readonly provider: string | null;
  readonly finding: string;
  readonly ref: EvidenceRef | null;
}

type Link = (given: Case) => Evidence[];

/** The full evidence chain of a day, including what was searched for and not found. */
export function evidenceOf(given: Case): Evidence[] {
  return links.flatMap((link) => link(given));
}

const account: Link = ({ account: { account_id: id, status, upstream_user_id, created_at } }) => {
  const user = upstream_user_id === null ? 'without an upstream user' : 'with an upstream user';
  const finding = `The account is ${status}, ${user}.`;
  return [{ kind: 'account', at: created_at, provider: null, finding, ref: { type: 'account', id } }];
};

const resource: Link = ({ resource: { name }, synced }) => {
  return [general('resource', `${name} is ${synced ? '' : 'not '}in SYNC_RESOURCES.`)];
};

const bounds: Link = ({ account: { ingestion_start: from, ingestion_end: to } }) => {
  if (from === null && to === null) return [];
  const finding = `The account accepts data from ${from ?? 'any day'} until ${to ?? 'any day'}.`;
  return [general('ingestion_bounds', finding)];
};

const connections: Link = (given) => {
  if (given.connections.length === 0) {
    const known = obstaclesOf(given).length === 0 ? neverConnected(given.asked) : 'no source is known yet';
    return [general('connection', `${known.charAt(0).toUpperCase()}${known.slice(1)}.`)];
  }
  return given.connections.map((connection) => ({
    kind: 'connection',
    at: connection.error_at ?? connection.connected_at ?? connection.observed_at,
    provider: connection.provider,
    finding: connectionFinding(connection),
    ref: { type: 'connection', id: connection.provider },
  }));
};

const availability: Link = ({ sources }) =>
  sources.flatMap(({ evidence: { provider, connection, availability: reported } }) => {
    if (!reported) return [];
    const denied = `the person denied ${counted(reported.denied, 'required permission')}`;
    const told = reported.available
      ? 'Upstream reports that the source delivers it.'
      : 'Upstream reports that the source does not deliver it.';
    const finding = reported.denied > 0 ? `${told.slice(0, -1)}; ${denied}.` : told;
    const ref = { type: 'connection', id: provider } as const;
    return [{ kind: 'availability', at: connection?.observed_at ?? null, provider, finding, ref }];
  });

const upstreamPulls: Link = ({ sources }) =>
  sources.map(({ evidence: { provider, resource: it, history } }) => {
    if (!history) return of(provider, 'upstream_pull', 'Upstream has reported no historical pull.');
    const at = history.ended_at ?? history.started_at ?? history.scheduled_at ?? history.observed_at;
    const ref = { type: 'historical_pull', id: `${provider}/${it.eventName ?? it.name}` } as const;
    return { kind: 'upstream_pull', at, provider, finding: historyFinding(history), ref };
  });

const lateness: Readonly<Record<Covered['state'], string>> = {
  fresh: 'before devices had time to send',
  settled: 'after devices had time to send',
  proven: 'after devices had time to send, with the source connected and heard from since',
};

const coverage: Link = ({ sources, span }) =>
  sources.flatMap(({ evidence: { provider, resource: it, covered } }) => {
    const reach = reachOf(it, span);
    const found = covered.filter((range) => overlaps(range, reach));
    if (found.length === 0) return [of(provider, 'coverage', 'No complete pull covers the day.')];
    return found.map(({ start, end, confirmedAt, state }) => {
      const finding = `Pulled completely from ${moment(start)} to ${moment(end)}, ${lateness[state]}.`;
      return { ...of(provider, 'coverage', finding), at: confirmedAt };
    });
  });

const proofs: Link = ({ sources, span }) =>
  sources.flatMap(({ evidence: source }) => {
    const { equalAt, differentAt } = auditedOf(source, span);
    const differs = `An audit on ${moment(differentAt ?? 0)} found the day different from upstream.`;
    if (differentAt !== null) return [{ ...of(source.provider, 'proof', differs), at: differentAt }];
    const equal = `Proven equal with upstream on ${moment(equalAt ?? 0)}.`;
    return equalAt === null ? [] : [{ ...of(source.provider, 'proof', equal), at: equalAt }];
  });

const schedule: Link = ({ sources }) =>
  sources.map(({ evidence: { provider, stream } }) => {
    return { ...of(provider, 'schedule', streamFinding(stream)), at: stream?.last_pulled_at ?? null };
  });

const tasks: Link = (given) => {
  const found = given.sources.flatMap((source) => tasksOf(given, source).map((task) => ({ source, task })));
  const once = new Map(found.map((one) => [one.task.id, one]));
  return [...once.values()].map(({ source, task }) => ({
    kind: 'task',
    at: task.finished_at ?? task.created_at,
    provider: task.provider === '' ? null : source.evidence.provider,
    finding: taskFinding(task),
    ref: { type: 'task', id: String(task.id) },
  }));
};

const messages: Link = (given) => {
  if (given.messages.length === 0) return [general('message', 'No delivery for it arrived around that day.')];
  return given.messages.map(({ event_type, status, reason, count, first_at, last_at, message_id }) => {
    const when = first_at === last_at ? moment(last_at) : `${moment(first_at)} to ${moment(last_at)}`;
    const why = reason === null ? '' : ` (${word(reason)})`;
    const finding = `${counted(count, 'delivery', 'deliveries')} of ${word(event_type)}, ${when}: ${status}${why}.`;
    return { kind: 'message', at: last_at, provider: null, finding, ref: { type: 'message', id: message_id } };
  });
};

const records: Link = ({ sources }) => {
  if (sources.length === 0) return [general('records', 'No record of the day is stored.')];
  return sources.map(({ evidence: { provider }, stored }: SourceCase) => {
    if (!stored) return of(provider, 'records', 'No record of the day is stored.');
    const finding = `${counted(stored.records, 'record')} of the day ${stored.records === 1 ? 'is' : 'are'} stored.`;
    return { ...of(provider, 'records', finding), at: stored.observedAt };
  });
};

const gone: Link = (given) =>
  given.gone.map(({ provider, records: count, superseded, missedAt, confirmedAt, looks: [first, last] }) => {
    const [is, it] = count === 1 ? ['is', 'it'] : ['are', 'them'];
    const pulls =
      first === last
        ? `pull ${last} (${moment(confirmedAt)})`
        : `pulls ${first} (${moment(missedAt)}) and ${last} (${moment(confirmedAt)})`;
    const replaced =
      superseded === 0
        ? ''
        : `; ${superseded} of them ${superseded === 1 ? 'was' : 'were'} replaced by an overlapping record`;
    const finding = `${counted(count, 'record')} of the day ${is} hidden because the complete ${pulls} did not return ${it}${replaced}.`;
    return { ...of(provider, 'records', finding), at: confirmedAt, ref: { type: 'task', id: String(last) } };
  });

const notes: Link = (given) =>
  notesOf(given)
    .filter(({ code }) => ofRecords.has(code))
    .map((told) => ({ kind: 'records', at: null, provider: told.provider, finding: sayNote(told), ref: null }));

/** Statements about records; of the rest, other links say more. */
const ofRecords: ReadonlySet<NoteCode> = new Set([
  ...(['points_repeated', 'points_rejected', 'superseded', 'hidden_by_better', 'forecasts'] as const),
  ...(['mixed_units', 'incomparable_units', 'incomparable_kinds'] as const),
]);

const delivery: Link = (given) => {
  const { account: own, any } = given.lastDelivery;
  const of = (at: number | null): string => (at === null ? 'never' : moment(at));
  const silence = isSilent(given.alarms) ? ['The silence alarm is raised.'] : [];
  const obstacles = obstaclesOf(given).map((each) => `${each.charAt(0).toUpperCase()}${each.slice(1)}.`);
  const alarm = [...silence, ...obstacles].map((sentence) => ` ${sentence}`).join('');
  const finding = `Last message for this account: ${of(own)}; for any account: ${of(any)}.${alarm}`;
  return [{ ...general('delivery', finding), at: any }];
};

const links: readonly Link[] = [
  account,
  resource,
  bounds,
  connections,
  availability,
  upstreamPulls,
  coverage,
  proofs,
  schedule,
  tasks,
  messages,
  records,
  gone,
  notes,
  delivery,
];

function general(kind: EvidenceKind, finding: string): Evidence {
  return { kind, at: null, provider: null, finding, ref: null };
}

function of(provider: string, kind: EvidenceKind, finding: string): Evidence {
  return { kind, at: null, provider, finding, ref: null };
}
