import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';

const prefix = 'pulsekeep_';
const forbiddenLabel = /(^|_)(id|ref|uuid|account|user|token|key|name|email|url|path)$/;
const defaultBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

let processRegistry: Registry | undefined;

/** Shared by all applications in this process, because its collectors can never be removed. */
function metricsOfProcess(): readonly Metric[] {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry, prefix });
  }
  return processRegistry.getMetricsAsArray() as unknown as Metric[];
}

/**
 * One registry per application. Names are given without the `pulsekeep_` prefix; the same name returns the same metric.
 * Labels are small closed sets (state, kind, resource, route template); a label that could contain an id is refused.
 */
export class Metrics {
  readonly registry = new Registry();
  private showsStore: () => boolean = () => true;
  private underWay: Promise<string> | null = null;

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.once(Counter<L>, { name, help, labelNames });
  }

  /** `collect` runs at every scrape, for figures that are read rather than counted. */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    const read = (): Promise<void> => this.collected(name, () => collect?.(gauge));
    const gauge: Gauge<L> = this.once(Gauge<L>, { name, help, labelNames, collect: read });
    return gauge;
  }

  /**
   * A gauge about the store, which all processes share. Only the process that shows the store runs `collect` and has a
   * value.
   */
  storeGauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[],
    collect: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    return this.gauge(name, help, labelNames, (gauge) => {
      if (this.showsStore()) return collect(gauge);
      gauge.reset();
      if (labelNames.length === 0) gauge.remove();
    });
  }

  /** Sets when this process shows the metrics of the store; always by default. */
  showStoreWhen(condition: () => boolean): void {
    this.showsStore = condition;
  }

  /** In seconds unless `buckets` differ. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = defaultBuckets,
  ): Histogram<L> {
    return this.once(Histogram<L>, { name, help, labelNames, buckets: [...buckets] });
  }

  /** All metrics in Prometheus format. Simultaneous callers share one read, even if the store is slow. */
  text(): Promise<string> {
    this.underWay ??= this.registry.metrics().finally(() => (this.underWay = null));
    return this.underWay;
  }

  /** A figure that cannot be read keeps its last value and is counted; the others are still shown. */
  private async collected(metric: string, read: () => void | Promise<void>): Promise<void> {
    try {
      await read();
    } catch {
      this.counter('metrics_unread_total', 'Metrics that could not be read during a scrape', ['metric']).inc({
        metric,
      });
    }
  }

  /** Adds metrics of the process itself: memory, event loop, garbage collection. */
  collectProcess(): void {
    for (const metric of metricsOfProcess()) {
      // The library names three gauges like counters; `nodejs_active_handles` and others show the same.
      const isMisnamed = metric instanceof Gauge && 'name' in metric && String(metric.name).endsWith('_total');
      if (!isMisnamed) this.registry.registerMetric(metric);
    }
  }

  private once<C extends { readonly name: string; readonly labelNames?: readonly string[] }, M extends Metric>(
    kind: new (configuration: C) => M,
    configuration: C,
  ): M {
    const { name, labelNames = [] } = configuration;
    const full = name.startsWith(prefix) ? name : prefix + name;
    const known = this.registry.getSingleMetric(full);
    if (known instanceof kind) return known;
    if (known) throw new TypeError(`the metric ${full} already exists as another kind`);
    const refused = labelNames.find((label) => forbiddenLabel.test(label));
    if (refused) throw new TypeError(`the metric ${full} must not carry the label ${refused}`);
    return new kind({ ...configuration, name: full, registers: [this.registry] });
  }
}
