import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';

const prefix = 'pulsekeep_';
const forbiddenLabel = /(^|_)(id|ref|uuid|account|user|token|key|name|email|url|path)$/;
const defaultBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

let processRegistry: Registry | undefined;

/** Made once, however many applications the process holds: what observes the process for them is never taken down. */
function metricsOfProcess(): readonly Metric[] {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry, prefix });
  }
  return processRegistry.getMetricsAsArray() as unknown as Metric[];
}

/**
 * One registry per application. Names are given without the `pulsekeep_` prefix; asking twice for a name gives the same
 * metric. Labels are small closed sets (state, kind, resource, route template): a label that could hold an id is
 * refused.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly made = new Map<string, Metric>();
  private showsStore: () => boolean = () => true;
  private underWay: Promise<string> | null = null;

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.once(name, labelNames, Counter, (full) => {
      return new Counter<L>({ name: full, help, labelNames: [...labelNames], registers: [this.registry] });
    });
  }

  /** `collect` runs at every scrape, for figures that are read rather than counted. */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    return this.once(name, labelNames, Gauge, (full) => {
      const gauge: Gauge<L> = new Gauge<L>({
        name: full,
        help,
        labelNames: [...labelNames],
        registers: [this.registry],
        collect: () => this.collected(name, () => collect?.(gauge)),
      });
      return gauge;
    });
  }

  /**
   * A gauge about the store, which all processes share: `collect` runs, and there is a value, only in the one that
   * shows the store.
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

  /** True if this process reports the store's metrics; the default. */
  showStoreWhen(condition: () => boolean): void {
    this.showsStore = condition;
  }

  /** Seconds, unless `buckets` say otherwise. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = defaultBuckets,
  ): Histogram<L> {
    return this.once(name, labelNames, Histogram, (full) => {
      return new Histogram<L>({
        name: full,
        help,
        labelNames: [...labelNames],
        buckets: [...buckets],
        registers: [this.registry],
      });
    });
  }

  /** Every figure for Prometheus. Callers at one time share one reading, however long the store takes to answer. */
  text(): Promise<string> {
    this.underWay ??= this.registry.metrics().finally(() => (this.underWay = null));
    return this.underWay;
  }

  /** A figure that cannot be read now keeps its last value and is counted; the others are still given. */
  private async collected(metric: string, read: () => void | Promise<void>): Promise<void> {
    try {
      await read();
    } catch {
      this.counter('metrics_unread_total', 'Figures that could not be read at a scrape', ['metric']).inc({ metric });
    }
  }

  /** Adds the figures of the process itself: memory, event loop, garbage collection. */
  collectProcess(): void {
    for (const metric of metricsOfProcess()) {
      if (!isMisnamed(metric)) this.registry.registerMetric(metric);
    }
  }

  private once<M extends Metric>(
    name: string,
    labelNames: readonly string[],
    kind: abstract new (...args: never[]) => M,
    make: (fullName: string) => M,
  ): M {
    const full = name.startsWith(prefix) ? name : prefix + name;
    const known = this.made.get(full);
    if (known instanceof kind) return known;
    if (known) throw new TypeError(`the metric ${full} already exists as another kind`);
    const refused = labelNames.find((label) => forbiddenLabel.test(label));
    if (refused) throw new TypeError(`the metric ${full} must not carry the label ${refused}`);
    const metric = make(full);
    this.made.set(full, metric);
    return metric;
  }
}

/**
 * Three gauges of the library's are named as counters are; the same figures are in `nodejs_active_handles` and others.
 */
function isMisnamed(metric: object): boolean {
  return metric instanceof Gauge && 'name' in metric && String(metric.name).endsWith('_total');
}
