import { types } from 'node:util';

/** All codes that callers can get. Only `http/server/problem-codes.ts` maps them to HTTP statuses. */
export const errorCodes = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'not_synced',
  'method_not_allowed',
  'conflict',
  'account_id_not_allowed',
  'account_blocked',
  'account_erased',
  'access_reason_required',
  'idempotency_key_required',
  'idempotency_key_reused',
  'placement_in_progress',
  'placement_unresolved',
  'order_refused',
  'order_not_cancellable',
  'booking_in_progress',
  'appointment_refused',
  'rate_limited',
  'busy',
  'caller_left',
  'tokens_closed',
  'payload_too_large',
  'headers_too_large',
  'request_timeout',
  'unsupported_media_type',
  'malformed_webhook',
  'bad_signature',
  'storage_unavailable',
  'inbox_behind',
  'upstream_rejected',
  'upstream_throttled',
  'upstream_unavailable',
  'upstream_contract',
  'upstream_user_limit',
  'upstream_invalid_request',
  'result_not_ready',
  'document_not_ready',
  'cursor_expired',
  'feed_restarted',
  'cursor_ahead',
  'verification_unavailable',
  'internal',
  'lane_refused',
  'shutting_down',
  'not_ready',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** An invalid field of a request: its path (`a.b[0].c`) and a sentence that never contains the value. */
export interface FieldError {
  field: string;
  message: string;
}

export interface ErrorOptions {
  /** The reason in one word, for metrics and callers. */
  reason?: string;
  cause?: unknown;
  fields?: FieldError[];
  retryAfterSeconds?: number;
}

/**
 * An error that we raise on purpose, identified by its code. The message is a sentence for developers that may be shown
 * to the caller, so it never contains a value: no id, token, key, body or health data.
 */
export abstract class CodedError extends Error {
  abstract readonly code: ErrorCode;
  readonly fields: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Our own failures and refusals. Branch on `code`. */
export class AppError extends CodedError {
  readonly code: ErrorCode;
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.reason = options.reason;
  }
}

/** `invalid_request` that names these fields. */
export function invalidFields(...fields: FieldError[]): AppError {
  return new AppError('invalid_request', 'Some fields of the request are invalid.', { fields });
}

/** Returns `thing`; throws `not_found` with this sentence if there is none. */
export function orNotFound<T>(thing: T | null | undefined, sentence: string): T {
  if (thing === null || thing === undefined) throw new AppError('not_found', sentence);
  return thing;
}

/** The only facts about an error that a log line may contain. */
export interface ErrorDescription {
  readonly error: string;
  readonly code?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: number | undefined;
  /** Class and code of the direct cause. */
  readonly cause?: string | undefined;
  /** `file:line` of the first stack frame in our own code, relative to the working directory. */
  readonly at?: string | undefined;
}

const classPattern = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
const kindPattern = /^[a-z][a-z_]{0,31}$/;
/** Names of Node, OpenSSL, Fastify, jose and SQLite errors, and SQLSTATE; never free text. */
const foreignCodePattern =
  /^((?:E|FST_|SQLITE_|UNABLE_TO_|CERT_|SELF_SIGNED_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT)[A-Z0-9_]{0,60}|[0-9A-Z]{5})$/;
const framePattern = /^\s+at (?:.*\()?(?:file:\/\/)?([^()\s]+):(\d+):\d+\)?$/;

/**
 * The loggable part of any thrown value: class, code, kind, status and place, each checked against a pattern. Never
 * includes the message, parameters, configuration, headers or body. Errors reach the log only through this.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!isError(error)) return { error: error === null ? 'null' : typeof error };
  const { cause } = error;
  return {
    error: className(error),
    code: codeOf(error),
    kind: textOf(error, 'kind', kindPattern),
    status: statusOf(error),
    cause: isError(cause) ? [className(cause), codeOf(cause)].filter(Boolean).join(':') : undefined,
    at: placeOf(error),
  };
}

/** Log fields of an error; `status` in a log line is the status of our own response. */
export function loggable(error: unknown): Omit<ErrorDescription, 'status'> & { upstream_status: number | undefined } {
  const { status: upstream_status, ...described } = describeError(error);
  return { ...described, upstream_status };
}

/** Checks the shape, because errors of native packages may come from another realm with its own `Error`. */
function isError(value: unknown): value is Error {
  return (
    types.isNativeError(value) ||
    (typeof property(value, 'stack') === 'string' && typeof property(value, 'message') === 'string')
  );
}

function property(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>)[name] : undefined;
}

function textOf(holder: unknown, name: string, pattern: RegExp): string | undefined {
  const value = property(holder, name);
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

function className(error: Error): string {
  const name = error.constructor.name;
  return classPattern.test(name) ? name : 'Error';
}

function codeOf(error: Error): string | undefined {
  if (error instanceof CodedError) return error.code;
  return (
    textOf(error, 'code', foreignCodePattern) ?? textOf(property(error, 'driverError'), 'code', foreignCodePattern)
  );
}

function statusOf(error: Error): number | undefined {
  const value =
    property(error, 'status') ?? property(error, 'statusCode') ?? property(property(error, 'response'), 'status');
  return typeof value === 'number' && value >= 100 && value <= 599 ? value : undefined;
}

/** Looks for frames only after the message, because the message may itself look like a frame. */
function placeOf(error: Error): string | undefined {
  const stack = error.stack ?? '';
  const start = stack.indexOf(error.message);
  if (start < 0) return undefined;
  const frames = stack
    .slice(start + error.message.length)
    .split('\n')
    .map((line) => framePattern.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({ file: match[1] ?? '', line: match[2] ?? '' }));
  const frame = frames.find(({ file }) => !file.includes('node_modules') && !file.startsWith('node:')) ?? frames[0];
  return frame && `${relativeFile(frame.file)}:${frame.line}`;
}

function relativeFile(file: string): string {
  const root = `${process.cwd()}/`;
  if (file.startsWith(root)) return file.slice(root.length);
  const library = file.lastIndexOf('node_modules/');
  return library >= 0 ? file.slice(library) : (file.split('/').at(-1) ?? '');
}
