import type { LogFields } from './log.js';
import { requestContext, type Trace, withinRequest } from './request-context.js';

/*
 * Spans of the ways that cross a boundary: of a message from its delivery over its attempt and its records to the
 * pushes of what they changed, of a pull from its turn to the rows of a page, and of a request to its calls to
 * upstream. Without OTEL_EXPORTER_OTLP_ENDPOINT nothing is measured, and no package is loaded (open-traces.ts).
 *
 * The trace of a message is a hash of its id, so that each process finds it without a column. A span has fields of the
 * log's allowlist as attributes, and of an error only the name of its class.
 */

export type SpanName =
  | 'http.request'
  | 'webhook.delivery'
  | 'inbox.attempt'
  | 'inbox.apply'
  | 'pull.turn'
  | 'pull.page'
  | 'pull.store'
  | 'push'
  | 'upstream.call';

/** Where a span belongs: below another one, in the trace of an id, or in a new trace. */
export interface SpanPlace {
  readonly parent?: Trace | undefined;
  readonly of?: string;
  /** Another span about the same work. */
  readonly beside?: Trace | undefined;
}

export interface OpenSpan {
  readonly trace: Trace;
  /** Sets more attributes. */
  set(fields: LogFields): void;
  end(error?: unknown): void;
}

export interface Tracing {
  begin(name: SpanName, fields: LogFields, place: SpanPlace): OpenSpan;
}

let tracing: Tracing | null = null;

/** Measures spans from now on. Returns a function that ends this. */
export function useTracing(given: Tracing): () => void {
  tracing = given;
  return () => {
    if (tracing === given) tracing = null;
    changes.clear();
  };
}

/** Begins a span below the current one; null if none is measured. The caller ends it. */
export function beginSpan(name: SpanName, fields: LogFields): OpenSpan | null {
  return tracing?.begin(name, fields, { parent: requestContext().trace }) ?? null;
}

/** Runs `work` in a span below the current one, or at `place`. */
export function traced<T>(
  name: SpanName,
  fields: LogFields,
  work: () => Promise<T>,
  place: SpanPlace = { parent: requestContext().trace },
): Promise<T> {
  return tracing === null ? work() : within([tracing.begin(name, fields, place)], work);
}

/** Runs work for several messages together, with a span in the trace of each. They refer to the first. */
export function tracedTogether<T>(
  name: SpanName,
  messages: readonly { readonly message_id: string; readonly attempts: number }[],
  work: () => Promise<T>,
): Promise<T> {
  if (tracing === null) return work();
  const spans: OpenSpan[] = [];
  for (const { message_id, attempts } of messages) {
    const fields = { message_id, attempts, count: messages.length };
    spans.push(tracing.begin(name, fields, { of: message_id, beside: spans[0]?.trace }));
  }
  return within(spans, work);
}

async function within<T>(spans: readonly OpenSpan[], work: () => Promise<T>): Promise<T> {
  const [first] = spans;
  try {
    const result = await (first ? withinRequest({ trace: first.trace }, work) : work());
    for (const span of spans) span.end();
    return result;
  } catch (error) {
    for (const span of spans) span.end(error);
    throw error;
  }
}

/** A change as it is known both where it is noted and where it is pushed. */
interface TracedChange {
  readonly kind: string;
  readonly account: number | null;
  readonly subject: string;
}

/** Traces of the newest changes that this process noted: a push by another process begins a trace of its own. */
const changes = new Map<string, Trace>();
const MAX_CHANGES = 10_000;
const keyOf = ({ kind, account, subject }: TracedChange, at: number): string => `${kind} ${account} ${subject} ${at}`;

/** Keeps the current trace for the pushes of changes noted at this time. */
export function traceChanges(noted: readonly TracedChange[], at: number): void {
  const { trace } = requestContext();
  if (tracing === null || trace === undefined) return;
  for (const change of noted) changes.set(keyOf(change, at), trace);
  for (const key of changes.keys()) {
    if (changes.size <= MAX_CHANGES) return;
    changes.delete(key);
  }
}

/** The trace in which a change was noted; otherwise the trace of `id`. */
export function placeOfChange(change: TracedChange & { readonly at: number }, id: string): SpanPlace {
  const parent = tracing === null ? undefined : changes.get(keyOf(change, change.at));
  return parent ? { parent } : { of: id };
}
