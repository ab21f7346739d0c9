import type { MessageGroup } from '../../ingest/inbox/messages.service.js';
import { type Case, decidingSource, type EvidenceKind, recordsOf, type SourceCase } from './case.js';
import type { DayReason } from './day-state.js';
import { isSilent, isUnheard, obstaclesOf } from './obstacles.js';
import { emptyFor, none, providerOf, type Rule, rule } from './rule.js';
import { sourceRules } from './source-rules.js';
import { counted, moment, neverConnected, spoken } from './words.js';

/** The conclusion about a day, and the kinds of evidence that support it. */
export interface Conclusion {
  readonly code: ConclusionCode;
  readonly sentence: string;
  readonly decidedBy: readonly EvidenceKind[];
}

/**
 * The first rule that holds is the conclusion. Order: certain causes, causes that operators can fix, causes that
 * upstream or the person must fix, causes that only time can reveal, and unknown causes.
 */
const rules = [
  rule('not_begun', [], isAhead, ({ day }) => `${day} has not happened yet.`),
  rule('account_erasing', ['account'], isErasing, ({ day }) => {
    return `Nothing is known about ${day} because the account is being erased.`;
  }),
  rule('received_whole', ['records', 'coverage'], hasAll, (given) => {
    return `${stored(given)}, and a complete pull after the day found no others.`;
  }),
  rule('received_so_far', ['records'], hasSoFar, (given) => {
    return `${stored(given)} so far; the day is not over yet.`;
  }),
  rule('received_in_part', ['records'], hasSome, (given, source) => {
    return `${stored(given)}, but some may be missing: ${doubt(given, source)}.`;
  }),
  rule('gone_upstream', ['records'], hasGone, ({ day, resource, gone }) => {
    const records = gone.reduce((sum, one) => sum + one.records, 0);
    const since = moment(Math.max(...gone.map(({ confirmedAt }) => confirmedAt)));
    const what = `${counted(records, `${spoken(resource.name)} record`)} of ${gone.map(({ provider }) => provider).join(' and ')}`;
    const [were, them] = records === 1 ? ['was', 'it'] : ['were', 'them'];
    return `${what} ${were} stored for ${day}, but complete pulls up to ${since} no longer returned ${them}.`;
  }),
  rule('forecast_only', ['records'], hasForecast, ({ day, resource }) => {
    return `Only a forecast of ${spoken(resource.name)} is stored for ${day}, which is no record.`;
  }),
  rule('not_over', [], at('running'), ({ day, resource }) => {
    return `${day} is not over yet, and no ${spoken(resource.name)} record of it is stored so far.`;
  }),
  rule('confirmed_empty', ['coverage', 'connection'], isEmpty, ({ day, resource, sources }) => {
    // A source that ended before the day was not pulled for it.
    const names = sources
      .filter(({ verdict }) => verdict.whole)
      .map(providerOf)
      .join(' and ');
    const why = `a complete pull of ${names} after the day found none, with the source connected and later data received`;
    return `There is no ${spoken(resource.name)} record for ${day}: ${why}.`;
  }),
  rule('account_pending', ['account'], isPending, (given) => {
    return `${none(given)} because the account has no upstream user yet.`;
  }),
  rule('outside_ingestion', ['ingestion_bounds'], isOutside, ({ account, ...given }) => {
    const { ingestion_start: from, ingestion_end: to } = account;
    const bounds = [from && `from ${from}`, to && `until ${to}`].filter(Boolean).join(' ');
    return `${none(given)} because the account accepts data only ${bounds}.`;
  }),
  rule('not_synced', ['resource'], isNotSynced, (given) => {
    return `${none(given)} because ${given.resource.name} is not in SYNC_RESOURCES, so it is never pulled.`;
  }),
  rule('message_dead', ['message'], hasMessages('dead'), (given) => {
    const count = messagesIn(given, ['dead']);
    return `${none(given)}, and ${deliveries(count)} failed permanently; fix the cause, then replay ${count === 1 ? 'it' : 'them'}.`;
  }),
  rule('message_waiting', ['message'], hasMessages('received', 'retry'), (given) => {
    const count = messagesIn(given, ['received', 'retry']);
    return `${none(given)} yet: ${deliveries(count)} ${count === 1 ? 'is' : 'are'} waiting to be processed.`;
  }),
  rule('not_heard', ['delivery'], isUnheard, (given) => {
    return `${none(given)}. The reason is unknown while ${obstaclesOf(given).join(' and ')}.`;
  }),
  rule('never_connected', ['connection'], isUnconnected, (given) => {
    return `${none(given)} because ${neverConnected(given.asked)}.`;
  }),
  ...sourceRules,
  rule(
    'silence',
    ['delivery'],
    ({ alarms }, source) => isSilent(alarms) && source !== null,
    ({ lastDelivery: { any }, ...given }) => {
      const since = any === null ? 'yet' : `since ${moment(any)}`;
      return `${none(given)}, and no webhook at all has arrived ${since}; check that upstream can reach this service.`;
    },
  ),
  emptyFor('not_heard_since', ['coverage', 'records'], (source) => {
    const { heardUntil } = source.evidence;
    const last = heardUntil === null ? 'has sent no data yet' : `has sent no data later than ${moment(heardUntil)}`;
    return `, but ${providerOf(source)} ${last}, so data of that day may still arrive`;
  }),
  emptyFor('not_proven', ['coverage', 'upstream_pull'], (source) => {
    return `: the pulls found none from ${providerOf(source)}, but upstream may have received it later or may not have data that far back`;
  }),
] as const;

const otherwise = rule(
  'never_asked',
  ['connection'],
  () => true,
  (given) => `${none(given)}: no connected source was pulled for it.`,
);

export type ConclusionCode = (typeof rules)[number]['code'] | (typeof otherwise)['code'];
export const conclusionCodes: readonly ConclusionCode[] = [...rules, otherwise].map(({ code }) => code);

export function conclude(given: Case): Conclusion {
  const source = decidingSource(given);
  const { code, decidedBy, say } = rules.find(({ holds }) => holds(given, source)) ?? otherwise;
  return { code, sentence: say(given, source), decidedBy };
}

function at(phase: Case['phase']): Rule['holds'] {
  return (given) => given.phase === phase;
}

/** A day with records has begun in the person's time zone, whatever UTC shows. */
function isAhead(given: Case): boolean {
  return given.phase === 'ahead' && recordsOf(given) === 0;
}

function hasSome(_: Case, source: SourceCase | null): source is SourceCase {
  return source?.verdict.state === 'received';
}

function hasAll(given: Case, source: SourceCase | null): boolean {
  return hasSome(given, source) && source.verdict.whole;
}

function hasSoFar(given: Case, source: SourceCase | null): boolean {
  return hasSome(given, source) && source.facts.phase !== 'over';
}

function hasGone({ gone }: Case): boolean {
  return gone.length > 0;
}

function hasForecast({ standing }: Case): boolean {
  return standing.some(({ forecasts }) => forecasts > 0);
}

function isEmpty(_: Case, source: SourceCase | null): boolean {
  return source?.verdict.state === 'confirmed_empty';
}

function isErasing({ account }: Case): boolean {
  return account.status === 'erasing';
}

function isPending({ account }: Case): boolean {
  return account.upstream_user_id === null;
}

function isOutside({ account, day }: Case): boolean {
  const { ingestion_start: from, ingestion_end: to } = account;
  return (from !== null && day < from) || (to !== null && day > to);
}

function isNotSynced({ synced }: Case): boolean {
  return !synced;
}

function isUnconnected({ connections, sources }: Case): boolean {
  return connections.length + sources.length === 0;
}

function hasMessages(...states: readonly MessageGroup['status'][]): Rule['holds'] {
  return (given) => messagesIn(given, states) > 0;
}

function messagesIn({ messages }: Case, states: readonly MessageGroup['status'][]): number {
  return messages.filter(({ status }) => states.includes(status)).reduce((sum, { count }) => sum + count, 0);
}

function deliveries(count: number): string {
  return `${counted(count, 'delivery', 'deliveries')} for it around that day`;
}

function stored(given: Case): string {
  const { resource, day, sources } = given;
  const names = sources.filter((source) => source.stored).map(providerOf);
  const records = recordsOf(given);
  const what = `${counted(records, `${spoken(resource.name)} record`)} of ${names.join(' and ')}`;
  return `${what} ${records === 1 ? 'is' : 'are'} stored for ${day}`;
}

const doubts: Readonly<Partial<Record<DayReason, string>>> = {
  outside_ingestion: 'the day is outside the range for which the account accepts data',
  upstream_pull_failed: "upstream's historical pull of that day failed",
  connection_error: 'the source was in error',
  pull_open: 'the pull of that day has not finished',
  upstream_pull_open: "upstream's historical pull of that day has not finished",
  points_rejected: 'upstream sent records that cannot be stored',
  pull_due: 'devices may still send data, and the day will be pulled again',
  resource_unavailable: 'the source no longer delivers it',
  pull_failed: 'the pull of that day failed permanently',
  disconnected: 'the source is no longer connected',
  not_synced: 'the resource is not in SYNC_RESOURCES, so its history is not pulled',
  never_pulled: 'the stored records came by webhook, and the day was never pulled',
  late_data_possible: 'the last pull was too soon after the day to include late data',
  connection_gap: 'the source was not connected continuously until the day was pulled',
  not_heard_since: 'the source has sent nothing later than that day',
  not_proven: 'upstream may have received more since the pull, or may not have data that far back',
};

function doubt({ synced }: Case, source: SourceCase | null): string {
  if (!synced) return 'the resource is not in SYNC_RESOURCES, so it only arrives by webhook';
  return (source && doubts[source.verdict.reason]) ?? 'nothing proves that these are all';
}
