import { type Operations, operations } from '../../clients/typescript/src/api.js';
import type { CallOptions } from '../../clients/typescript/src/client.js';

type Given = Readonly<Record<string, string | number | boolean | undefined>> | undefined;

/** Address of a call, from the root of the service. */
export function addressOf<N extends keyof Operations>(name: N, options?: CallOptions<N>): string {
  const { path, query } = (options ?? {}) as { path?: Given; query?: Given };
  const filled = operations[name].path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(path?.[key])),
  );
  const pairs = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`],
  );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/**
 * The same call as a curl command. The key comes from the environment, so that it does not get into the shell history.
 */
export function curlOf<N extends keyof Operations>(origin: string, name: N, options?: CallOptions<N>): string {
  const { body } = (options ?? {}) as { body?: unknown };
  const { method } = operations[name];
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $PULSEKEEP_ADMIN_KEY"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
    quoted(`${origin}${addressOf(name, options)}`),
  ].join(' ');
}

type Word = string | number | boolean;
type Input = Word | readonly Word[] | undefined;

interface CommandLine {
  readonly words: string;
  /** Path parameters, in order, and query parameters that are positional arguments. */
  readonly values?: readonly string[];
  /** Options by parameter or field name; for a flag, also the value that sets it. */
  readonly options?: Readonly<Record<string, string | readonly [option: string, when: unknown]>>;
}

const period = { from: 'from', to: 'to' };
const messages = { status: 'status', reason: 'reason', event_type: 'event-type', ...period };
const accountOnly = ['account_id'] as const;

/** Commands equivalent to an operation. */
export const commandLines: Readonly<Partial<Record<keyof Operations, CommandLine>>> = {
  getOverview: { words: 'overview' },
  listAlarms: { words: 'alarms' },
  examineDeployment: { words: 'doctor' },
  listAccounts: { words: 'accounts find', values: ['q'], options: { status: 'status', provider: 'provider' } },
  getAccount: { words: 'accounts show', values: accountOnly },
  getCoverage: {
    words: 'coverage',
    values: accountOnly,
    options: { resource: 'resource', provider: 'provider', first_day: 'first-day', last_day: 'last-day' },
  },
  explainDay: {
    words: 'explain',
    values: accountOnly,
    options: { day: 'day', resource: 'resource', provider: 'provider' },
  },
  listTimeline: { words: 'timeline', values: accountOnly, options: { kind: 'kind', start: 'start', end: 'end' } },
  listMessages: { words: 'messages', options: { ...messages, account_id: 'account' } },
  replayMessage: { words: 'inbox replay --message', values: ['message_id'] },
  replayMessages: { words: 'inbox replay', options: { ...messages, dry_run: ['dry-run', true] } },
  listMessageReplays: { words: 'inbox replays' },
  listSyncTasks: { words: 'tasks', options: { status: 'status', account_id: 'account' } },
  startRecovery: {
    words: 'sync recover',
    options: { ...period, resources: 'resource', dry_run: ['dry-run', true] },
  },
  listHeldDeletions: {
    words: 'deletions list',
    options: { state: 'state', account_id: 'account', provider: 'provider', resource: 'resource' },
  },
  listOrders: {
    words: 'orders list',
    options: {
      ...{ account_id: 'account', order_transaction_id: 'transaction', origin: 'origin', status: 'status' },
      ...{ critical: ['critical', true], told: ['untold', false], result: 'result' },
    },
  },
  listSubscriptions: { words: 'subscriptions list' },
  listAccessLog: {
    words: 'access-log list',
    options: {
      ...{ account_id: 'account', account_ref: 'account-ref', actor: 'actor', action: 'action', resource: 'resource' },
      ...{ window_start: 'window-start', window_end: 'window-end', start: 'start', end: 'end' },
    },
  },
};

/** The equivalent `pulsekeep` command; undefined if there is none. Page sizes are left to the command. */
export function pulsekeepOf<N extends keyof Operations>(name: N, options?: CallOptions<N>): string | undefined {
  const line = commandLines[name];
  if (!line) return undefined;
  const { path, query, body } = (options ?? {}) as Readonly<Record<string, Readonly<Record<string, Input>>>>;
  const { limit: _, ...given } = { ...path, ...query, ...body };
  const values = (line.values ?? []).flatMap((key) => textsOf(given[key]).map(shellWord));
  const flags: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || line.values?.includes(key)) continue;
    const option = line.options?.[key];
    if (option === undefined) return undefined;
    if (typeof option === 'string') flags.push(...textsOf(value).map((text) => `--${option} ${shellWord(text)}`));
    else if (value === option[1]) flags.push(`--${option[0]}`);
    else return undefined;
  }
  return ['pulsekeep', line.words, ...values, ...flags].join(' ');
}

function textsOf(value: Input): string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value.map(String) : [String(value)];
}

function shellWord(text: string): string {
  return /^[\w.:@/,+-]+$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
