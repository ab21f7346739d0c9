import type { MessageGroup } from '../../ingest/inbox/messages.service.js';
import { type Case, decidingSource, type EvidenceKind, recordsOf, type SourceCase } from './case.js';
import type { DayReason } from './day-state.js';
import { isSilent, isUnheard, obstaclesOf } from './obstacles.js';
import { emptyFor, none, providerOf, type Rule, rule } from './rule.js';
import { sourceRules } from './source-rules.js';
import { counted, moment, neverConnected, spoken } from './words.js';

/** The conclusion about a day, and the kinds of evidence it rests on. */
export interface Conclusion {
  readonly code: ConclusionCode;
  readonly sentence: string;
  readonly decidedBy: readonly EvidenceKind[];
}

/**
 * The first rule that holds is the conclusion. Order: certain causes, causes that operators can fix, causes that
 * upstream or the person must fix, and last causes that only time can show or that stay unknown.
 */
const rules = [
  rule('not_begun', [], at('ahead'), ({ day }) => `${day} has not happened yet.`),
  rule('account_erasing', ['account'], isErasing, ({ day }) => {
    return `Nothing can be said of ${day} because the account is being erased.`;
  }),
  rule(
    'received_whole',
    ['records', 'coverage'],
    isReceived(({ verdict }) => verdict.whole),
    (given) => {
      return `${stored(given)}, and nothing says that any is missing.`;
    },
  ),
  rule(
    'received_so_far',
    ['records'],
    isReceived(({ facts }) => facts.phase === 'running'),
    (given) => {
      return `${stored(given)} so far; the day is not over yet.`;
    },
  ),
  rule(
    'received_in_part',
    ['records'],
    isReceived(() => true),
    (given, source) => {
      return `${stored(given)}, but there may be more: ${doubt(given, source)}.`;
    },
  ),
  rule('not_over', [], at('running'), ({ day, resource }) => {
    return `${day} is not over yet, and no ${spoken(resource.name)} record of it is stored so far.`;
  }),
  rule('confirmed_empty', ['coverage', 'upstream_pull', 'connection'], isEmpty, ({ day, resource, sources }) => {
    const names = sources.map(providerOf).join(' and ');
    const why = `${names} had none when we pulled the day whole, and upstream vouches for it`;
    return `There is no ${spoken(resource.name)} record for ${day}: ${why}.`;
  }),
  rule('account_pending', ['account'], isPending, (given) => {
    return `${none(given)} because the account has no upstream user yet.`;
  }),
  rule('outside_ingestion', ['ingestion_bounds'], isOutside, ({ account, ...given }) => {
    const { ingestion_start: from, ingestion_end: to } = account;
    const bounds = [from && `from ${from}`, to && `until ${to}`].filter(Boolean).join(' ');
    return `${none(given)} because the account takes in data only ${bounds}.`;
  }),
  rule('not_synced', ['resource'], isNotSynced, (given) => {
    return `${none(given)} because ${given.resource.name} is not among SYNC_RESOURCES and so is never pulled.`;
  }),
  rule('message_dead', ['message'], hasMessages('dead'), (given) => {
    const count = messagesIn(given, ['dead']);
    return `${none(given)}, and ${deliveries(count)} ${count === 1 ? 'was' : 'were'} given up; mend the cause and replay.`;
  }),
  rule('message_waiting', ['message'], hasMessages('received', 'retry'), (given) => {
    const count = messagesIn(given, ['received', 'retry']);
    return `${none(given)} yet: ${deliveries(count)} still ${count === 1 ? 'waits' : 'wait'} to be processed.`;
  }),
  rule('not_heard', ['delivery'], isUnheard, (given) => {
    return `${none(given)}, and why cannot be known while ${obstaclesOf(given).join(' and ')}.`;
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
      const since = any === null ? 'ever' : `since ${moment(any)}`;
      return `${none(given)}, and no message of any kind has come ${since}; see whether upstream can reach us.`;
    },
  ),
  emptyFor('not_proven', ['coverage', 'upstream_pull'], (source) => {
    return `: our pulls found nothing of ${providerOf(source)}, and upstream has not told that its own reached that far`;
  }),
] as const;

const otherwise = rule(
  'never_asked',
  ['connection'],
  () => true,
  (given) => `${none(given)}: no connected source was ever asked for it.`,
);

export type ConclusionCode = (typeof rules)[number]['code'] | (typeof otherwise)['code'];
export const conclusionCodes: readonly ConclusionCode[] = [...rules, otherwise].map(({ code }) => code);

/** The conclusion of a case. */
export function conclude(given: Case): Conclusion {
  const source = decidingSource(given);
  const { code, decidedBy, say } = rules.find(({ holds }) => holds(given, source)) ?? otherwise;
  return { code, sentence: say(given, source), decidedBy };
}

function at(phase: Case['phase']): Rule['holds'] {
  return (given) => given.phase === phase;
}

function isReceived(and: (source: SourceCase) => boolean): Rule['holds'] {
  return (_, source) => source?.verdict.state === 'received' && and(source);
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
  return `${counted(count, 'delivery', 'deliveries')} about it around that day`;
}

function stored(given: Case): string {
  const { resource, day, sources } = given;
  const names = sources.filter((source) => source.stored).map(providerOf);
  const records = recordsOf(given);
  const what = `${counted(records, `${spoken(resource.name)} record`)} of ${names.join(' and ')}`;
  return `${what} ${records === 1 ? 'is' : 'are'} stored for ${day}`;
}

const doubts: Readonly<Partial<Record<DayReason, string>>> = {
  outside_ingestion: 'the day is outside what the account takes in',
  upstream_pull_failed: "upstream's own pull over it failed",
  connection_error: 'the source was in error',
  pull_open: 'a pull of ours over it is open',
  upstream_pull_open: "upstream's own pull over it has not ended",
  points_rejected: 'upstream sent something of it that cannot be stored',
  pull_due: 'devices may still send, and it is pulled again',
  resource_unavailable: 'the source no longer delivers it',
  pull_failed: 'our pull over it was given up',
  disconnected: 'the source is no longer connected',
  not_synced: 'the resource is not among SYNC_RESOURCES, so its history is not pulled',
  never_pulled: 'it was pushed to us and never pulled',
  late_data_possible: 'it was last pulled too soon after the day',
  not_proven: 'upstream has not told that it has given all',
};

function doubt({ synced }: Case, source: SourceCase | null): string {
  if (!synced) return 'the resource is not among SYNC_RESOURCES, so it comes by push alone';
  return (source && doubts[source.verdict.reason]) ?? 'nobody has said that it is all';
}
