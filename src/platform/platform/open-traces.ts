import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attributes, ROOT_CONTEXT, type SpanContext, SpanStatusCode, trace as spans } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { version } from '../config/versions.js';
import { attributesOf, type LogFields } from './log.js';
import type { Metrics } from './metrics.js';
import type { Trace } from './request-context.js';
import { type OpenSpan, type SpanName, type SpanPlace, type Tracing, useTracing } from './traces.js';

/** Spans that wait for the collector. More are dropped and counted. */
const MAX_WAITING = 2_048;
const BATCH = 512;
/** Limit of one request to the collector, and of the last one at a stop. */
const TIMEOUT_MS = 2_000;

/**
 * Measures spans and sends them to a collector (OTLP over HTTP, JSON). A collector that is slow or down costs spans and
 * nothing else. Returns a function that sends the last ones and ends it.
 */
export function openTraces(endpoint: string, metrics: Metrics): () => Promise<void> {
  const counted = metrics.counter('traces_spans_total', 'Spans by what became of them', ['outcome']);
  for (const outcome of ['exported', 'dropped']) counted.inc({ outcome }, 0);
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS });
  let waiting = 0;
  let isClosed = false;
  const counting: SpanExporter = {
    export: (batch, done) =>
      exporter.export(batch, (result) => {
        if (isClosed) return done(result);
        waiting -= batch.length;
        counted.inc({ outcome: Number(result.code) === 0 ? 'exported' : 'dropped' }, batch.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: BATCH,
    exportTimeoutMillis: TIMEOUT_MS,
  });
  const ids = new ChosenIds();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'pulsekeep', 'service.version': version }),
    idGenerator: ids,
    forceFlushTimeoutMillis: TIMEOUT_MS,
    spanProcessors: [
      {
        onStart: (span, context) => batches.onStart(span, context),
        onEnd(span: ReadableSpan) {
          if (waiting >= MAX_WAITING) return counted.inc({ outcome: 'dropped' });
          waiting += 1;
          batches.onEnd(span);
        },
        forceFlush: () => batches.forceFlush(),
        shutdown: () => batches.shutdown(),
      },
    ],
  });
  const end = useTracing(new CollectedTraces(provider, ids));
  return async () => {
    end();
    const ended = new AbortController();
    const late = delay(TIMEOUT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
    ended.abort();
    isClosed = true;
    counted.inc({ outcome: 'dropped' }, waiting);
  };
}

class CollectedTraces implements Tracing {
  private readonly tracer;

  constructor(
    provider: TracerProvider,
    private readonly ids: ChosenIds,
  ) {
    this.tracer = provider.getTracer('pulsekeep', version);
  }

  begin(name: SpanName, fields: LogFields, { parent, of, beside }: SpanPlace): OpenSpan {
    const above = parent && contextOf(parent);
    const context = above ? spans.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT;
    const other = beside && contextOf(beside);
    this.ids.chosen = of === undefined ? (parent?.traceId ?? null) : traceIdOf(of);
    const links = other ? [{ context: other }] : [];
    const span = this.tracer.startSpan(name, { attributes: attributesOf(fields) as Attributes, links }, context);
    this.ids.chosen = null;
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      trace: { traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0'), isOwn: true },
      set: (more) => void span.setAttributes(attributesOf(more) as Attributes),
      end(error) {
        if (error !== undefined) {
          const name = error instanceof Error ? error.constructor.name : 'unknown';
          span.setAttributes(attributesOf({ error: name }) as Attributes);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  }
}

function contextOf({ traceId, spanId, flags }: Trace): SpanContext | undefined {
  return spanId === undefined
    ? undefined
    : { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The trace of a message or change. Its id cannot be read from it. */
function traceIdOf(id: string): string {
  return createHash('sha256').update(`trace of ${id}`).digest('hex').slice(0, 32);
}

/** Random ids, unless a trace was chosen. */
class ChosenIds implements IdGenerator {
  chosen: string | null = null;
  private readonly random = new RandomIdGenerator();
  readonly generateSpanId = (): string => this.random.generateSpanId();
  readonly generateTraceId = (): string => this.chosen ?? this.random.generateTraceId();
}
