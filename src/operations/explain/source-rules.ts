import { emptyFor, providerOf, rejectedOf, tasksOf } from './rule.js';
import { counted, moment, word } from './words.js';

const untilConnected = 'nothing comes until the person connects it again';

/** Rules for days without records, by the state of the source; in the order of the rules in day-state.ts. */
export const sourceRules = [
  emptyFor('upstream_pull_failed', ['upstream_pull'], (source) => {
    const { history } = source.evidence;
    const at = history ? ` on ${moment(history.ended_at ?? history.observed_at)}` : '';
    const error = word(history?.error_details ?? null, 'no reason given');
    const way = 'nothing can be fetched until upstream pulls again or the person reconnects';
    return ` because upstream's own pull of ${providerOf(source)} failed with ${error}${at}; ${way}`;
  }),
  emptyFor('connection_error', ['connection'], (source) => {
    const { connection } = source.evidence;
    const since = connection ? ` since ${moment(connection.error_at ?? connection.observed_at)}` : '';
    const error = word(connection?.error_type ?? null, 'no reason given');
    return ` because ${providerOf(source)} is in error (${error})${since}; ${untilConnected}`;
  }),
  emptyFor('pull_open', ['task'], (source, given) => {
    const task = tasksOf(given, source).find(({ status }) => status !== 'failed');
    const name = task ? `a pull of ours over that day (task ${task.id})` : 'a pull of ours over that day';
    if (task?.status === 'running') return ` yet: ${name} is running`;
    return ` yet: ${name} waits${task?.error_code ? ` after ${word(task.error_code)}` : ''}`;
  }),
  emptyFor('upstream_pull_open', ['upstream_pull'], (source) => {
    const { history } = source.evidence;
    const error = history?.error_details ? ` after ${word(history.error_details)}` : '';
    return ` yet: upstream's own pull of ${providerOf(source)} is ${word(history?.status ?? null)}${error}`;
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
    return ` yet: ${providerOf(source)} may still deliver it, and is pulled again${when}`;
  }),
  emptyFor('resource_unavailable', ['availability'], (source) => {
    const denied = source.evidence.availability?.denied ?? 0;
    const why = denied > 0 ? '; the person has not allowed it' : '';
    return ` because upstream says that ${providerOf(source)} does not deliver it for this person${why}`;
  }),
  emptyFor('pull_failed', ['task'], (source, given) => {
    const task = tasksOf(given, source).find(({ status }) => status === 'failed');
    const name = task ? `our pull over that day (task ${task.id})` : 'our pull over that day';
    return ` because ${name} was given up with ${word(task?.error_code ?? null, 'no code')}; ask for another`;
  }),
  emptyFor('disconnected', ['connection'], (source) => {
    const { connection } = source.evidence;
    const seen = connection ? `${word(connection.status)}, last seen so at ${moment(connection.observed_at)}` : 'gone';
    return ` because ${providerOf(source)} is ${seen}; ${untilConnected}`;
  }),
  emptyFor('never_pulled', ['coverage'], (source) => {
    return ` because no pull of ours has ever covered that day of ${providerOf(source)}; ask for one`;
  }),
  emptyFor('late_data_possible', ['coverage', 'schedule'], (source) => {
    return ` because ${providerOf(source)} was pulled too soon after that day, and is not pulled any more; ask for a pull`;
  }),
] as const;
