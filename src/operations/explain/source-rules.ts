import type { SourceCase } from './case.js';
import type { DayReason } from './day-state.js';
import { emptyFor, none, providerOf, rejectedOf, rule, tasksOf } from './rule.js';
import { counted, moment, word } from './words.js';

const untilConnected = 'no data arrives until the person reconnects it';

/** Reasons that follow from the retirement of a provider. */
const hasEnded: ReadonlySet<DayReason> = new Set(['connection_error', 'disconnected']);

function retirement(day: string, source: SourceCase): string {
  const { connection, succession } = source.evidence;
  if (succession === null) return '';
  const { successor, retired_on, isFollowed } = succession;
  const next = isFollowed
    ? `its successor ${successor} is connected`
    : `ask the person to connect its successor ${successor}`;
  const status = word(connection?.status ?? null, 'gone');
  const state = `the source is ${status === 'error' ? 'in error' : status}`;
  const api = `the API of ${providerOf(source)} was retired on ${retired_on}`;
  // The retirement explains no day before it, only that the day is not pulled any more.
  if (day < retired_on) return `; ${api}, ${state}, and nothing more arrives from it; ${next}`;
  return ` because ${api}, and ${state}; ${next}`;
}

/** Rules for days without records, by the state of the source, in the order of the rules in day-state.ts. */
export const sourceRules = [
  rule(
    'provider_retired',
    ['connection'],
    (_, source) => source !== null && source.evidence.succession !== null && hasEnded.has(source.verdict.reason),
    (given, source) => `${none(given)}${source ? retirement(given.day, source) : ''}.`,
  ),
  emptyFor('upstream_pull_failed', ['upstream_pull'], (source) => {
    const { history } = source.evidence;
    const at = history ? ` on ${moment(history.ended_at ?? history.observed_at)}` : '';
    const error = word(history?.error_details ?? null, 'no reason given');
    const way = 'there is nothing to fetch until upstream pulls again or the person reconnects';
    return ` because upstream's historical pull of ${providerOf(source)} failed with ${error}${at}; ${way}`;
  }),
  emptyFor('connection_error', ['connection'], (source) => {
    const { connection } = source.evidence;
    const since = connection ? ` since ${moment(connection.error_at ?? connection.observed_at)}` : '';
    const error = word(connection?.error_type ?? null, 'no reason given');
    return ` because ${providerOf(source)} is in error (${error})${since}; ${untilConnected}`;
  }),
  emptyFor('pull_open', ['task'], (source, given) => {
    const task = tasksOf(given, source).find(({ status }) => status !== 'failed');
    const name = task ? `the pull of that day (task ${task.id})` : 'the pull of that day';
    if (task?.status === 'running') return ` yet: ${name} is running`;
    return ` yet: ${name} is waiting${task?.error_code ? ` after the error ${word(task.error_code)}` : ''}`;
  }),
  emptyFor('upstream_pull_open', ['upstream_pull'], (source) => {
    const { history } = source.evidence;
    const error = history?.error_details ? ` after the error ${word(history.error_details)}` : '';
    return ` yet: upstream's historical pull of ${providerOf(source)} is ${word(history?.status ?? null)}${error}`;
  }),
  emptyFor('points_rejected', ['records'], (source, given) => {
    const rejected = rejectedOf(given, source);
    const count = rejected.reduce((sum, range) => sum + range.count, 0);
    const reasons = [...new Set(rejected.map(({ reason }) => word(reason)))].join(', ');
    return `: ${providerOf(source)} sent ${counted(count, 'record')} that cannot be stored (${reasons})`;
  }),
  emptyFor('pull_due', ['schedule'], (source) => {
    const due = source.evidence.stream?.next_due_at ?? null;
    const when = due === null ? '' : ` at ${moment(due)}`;
    return ` yet: ${providerOf(source)} may still send it; the next pull is due${when}`;
  }),
  emptyFor('resource_unavailable', ['availability'], (source) => {
    const denied = source.evidence.availability?.denied ?? 0;
    const why = denied > 0 ? '; the person denied the permission' : '';
    return ` because upstream reports that ${providerOf(source)} does not deliver it for this person${why}`;
  }),
  emptyFor('pull_failed', ['task'], (source, given) => {
    const task = tasksOf(given, source).find(({ status }) => status === 'failed');
    const name = task ? `the pull of that day (task ${task.id})` : 'the pull of that day';
    return ` because ${name} failed permanently with ${word(task?.error_code ?? null, 'no code')}; request another pull`;
  }),
  emptyFor('disconnected', ['connection'], (source) => {
    const { connection } = source.evidence;
    const seen = connection ? `${word(connection.status)} (last checked at ${moment(connection.observed_at)})` : 'gone';
    return ` because ${providerOf(source)} is ${seen}; ${untilConnected}`;
  }),
  emptyFor('never_pulled', ['coverage'], (source) => {
    return ` because that day of ${providerOf(source)} was never pulled; request a pull`;
  }),
  emptyFor('late_data_possible', ['coverage', 'schedule'], (source) => {
    return ` because ${providerOf(source)} was last pulled too soon after that day, and no further pull is due; request a pull`;
  }),
  emptyFor('connection_gap', ['connection', 'coverage'], (source) => {
    return `, but ${providerOf(source)} was not connected continuously until that day was pulled, so data may be missing`;
  }),
] as const;
