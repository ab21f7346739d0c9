import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';

const prefix = 'pulsekeep_';
const forbiddenLabel = /(^|_)(id|ref|uuid|account|user|token|key|name|email|url|path)$/;
const defaultBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * One registry per application. Names are given without the `pulsekeep_` prefix; asking twice for a name gives the same
 * metric. Labels are small closed sets (state, kind, resource, route template): a label that could hold an id is
 * refused.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly made = new Map<string, Metric>();

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
    collectDefaultMetrics({ register: this.registry, prefix });
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
