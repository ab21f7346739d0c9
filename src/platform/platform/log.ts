import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import { type LogLevel, logLevels } from '../config/config.js';
import { AccountRefs } from './account-refs.js';
import { LogOutput, standardOutput } from './log-output.js';
import { currentTrace } from './trace.js';

/**
 * The allowlist of log fields. Any other field does not compile, and is dropped at run time if a cast lets it through.
 * No field can contain a health value, token, key, header, query or body: only ids of our own rows, counts, states,
 * durations, names and route templates.
 */
const fieldKinds = {
  account_ref: 'account',
  message_id: 'id',
  task_id: 'id',
  order_ref: 'id',
  order_transaction_ref: 'id',
  unmatched_result_ref: 'id',
  request_id: 'id',
  trace_id: 'id',
  erasure_id: 'id',
  import_id: 'id',
  recovery_id: 'id',
  replay_id: 'id',
  subscription_id: 'id',
  route: 'text',
  method: 'word',
  status: 'number',
  upstream_status: 'number',
  code: 'word',
  error: 'word',
  kind: 'word',
  at: 'text',
  cause: 'word',
  operation: 'text',
  resource: 'word',
  provider: 'word',
  providers: 'names',
  event_type: 'word',
  reason: 'word',
  reasons: 'names',
  state: 'word',
  outcome: 'word',
  worker: 'word',
  migration: 'word',
  file: 'text',
  runbook: 'text',
  url: 'text',
  expected: 'text',
  answered: 'text',
  signal: 'word',
  hash: 'word',
  version: 'word',
  role: 'word',
  dialect: 'word',
  region: 'word',
  environment: 'word',
  count: 'number',
  pages: 'number',
  records: 'number',
  attempts: 'number',
  duration_ms: 'number',
  delay_ms: 'number',
  depth: 'number',
  seq: 'number',
  bytes: 'number',
  variable_names: 'names',
  nearest: 'word',
  parts: 'names',
} as const;

interface FieldTypes {
  /** Given as `accounts.id`, written as the account's `log_ref`; omitted if that is unknown. */
  account: number;
  id: string | number;
  text: string;
  /** A name or state. Some are from upstream, whose lists are open. */
  word: string;
  number: number;
  names: readonly string[];
}

export type LogFields = { [Name in keyof typeof fieldKinds]?: FieldTypes[(typeof fieldKinds)[Name]] | undefined };

type LogArea =
  | 'access_log'
  | 'account'
  | 'alarm'
  | 'app'
  | 'config'
  | 'database'
  | 'disk'
  | 'erasure'
  | 'export'
  | 'http'
  | 'inbox'
  | 'labs'
  | 'link'
  | 'migration'
  | 'order'
  | 'owner_lookup'
  | 'session'
  | 'push'
  | 'sync'
  | 'token'
  | 'upstream'
  | 'webhook'
  | 'worker'
  | 'workout_series';

/** `area.fact` in lower case, in the past tense for something that was done: `inbox.message_deferred`. */
export type LogEvent = 'listening' | 'stopping' | 'stopped' | `${LogArea}.${string}`;

export interface LogOptions {
  level: LogLevel;
  /** Included in every line. */
  process?: { readonly instance: string; readonly role: string };
  /** Default: standard output. Receives complete lines. */
  destination?: DestinationStream;
}

const MAX_TEXT_LENGTH = 200;
const MAX_NAMES = 100;
const wordPattern = /^[\w.:-]*$/;
const eventPattern = /^[a-z][a-z0-9_.]{0,63}$/;

function allowedText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : undefined;
}

/** Replaces a sentence, which could contain personal data, by `?`. */
function allowedWord(value: unknown): string | undefined {
  const text = allowedText(value);
  return text === undefined || wordPattern.test(text) ? text : '?';
}

function allowedNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const allowedValue: Record<keyof FieldTypes, (value: unknown, refs: AccountRefs) => unknown> = {
  account: (value, refs) => refs.of(value),
  id: (value) => allowedNumber(value) ?? allowedText(value),
  text: allowedText,
  word: allowedWord,
  number: allowedNumber,
  names: (value) =>
    Array.isArray(value)
      ? value
          .slice(0, MAX_NAMES)
          .map(allowedText)
          .filter((name) => name !== undefined)
      : undefined,
};

/** Omits fields that cannot be read: any object may be logged, and a getter may throw. */
function allowedFields(fields: object, refs: AccountRefs): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(fieldKinds, name)) continue;
    const kept = unlessItThrows(() => {
      return allowedValue[fieldKinds[name as keyof typeof fieldKinds]](fields[name as keyof typeof fields], refs);
    });
    if (kept !== undefined) allowed[name] = kept;
  }
  return allowed;
}

const nobody = new AccountRefs();

function unlessItThrows<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The fields that the allowlist permits, as attributes of a span. A person has no reference there. */
export function attributesOf(fields: LogFields): Record<string, unknown> {
  return unlessItThrows(() => allowedFields(fields, nobody)) ?? {};
}

/**
 * One JSON line per event: `{"level":"info","time":"...Z","event":"area.fact",...fields}`, with the `trace_id` of the
 * request, if it has one. Features wrap this in one typed helper per event. Nothing else writes to standard output.
 */
export class Log {
  readonly accountRefs = new AccountRefs();
  private readonly logger;
  private readonly configured: LogLevel;
  private readonly destination: DestinationStream | LogOutput;
  private readonly listeners: ((lines: number) => void)[] = [];

  constructor(options: LogOptions) {
    this.destination = options.destination ?? standardOutput();
    this.configured = options.level;
    this.logger = pino(
      {
        level: options.level,
        base: options.process ?? null,
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      this.destination,
    );
  }

  /**
   * Never throws and never writes a field outside the allowlist. A malformed event name becomes `app.unnamed`. Returns
   * immediately: a line that cannot be written soon enough is dropped and counted.
   */
  event(name: LogEvent, fields: LogFields = {}, level: LogLevel = 'info'): void {
    try {
      const event = typeof name === 'string' && eventPattern.test(name) ? name : 'app.unnamed';
      const known = logLevels.includes(level) ? level : 'info';
      const trace_id = currentTrace()?.traceId;
      this.logger[known]({
        event,
        ...(trace_id ? { trace_id } : {}),
        ...(unlessItThrows(() => allowedFields(fields, this.accountRefs)) ?? {}),
      });
    } catch {
      for (const listener of this.listeners) listener(1);
    }
  }

  /** Switches between the configured level and `debug` (`info` if it is `debug`), and says so in the log. */
  switchLevel(): void {
    const { configured, logger } = this;
    const other = configured === 'debug' ? 'info' : 'debug';
    const next = logger.level === configured ? other : configured;
    // Written at every level, and no error.
    logger.level = 'info';
    this.event('config.log_level_changed', { state: next });
    logger.level = next;
  }

  onLost(listener: (lines: number) => void): void {
    this.listeners.push(listener);
    if (this.destination instanceof LogOutput) this.destination.onLost(listener);
  }
}
