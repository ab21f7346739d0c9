import { Injectable } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { MessagesService } from '../../ingest/inbox/messages.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Declarations, type FigureGauge } from '../../storage/declarations/declarations.js';
import { FiguresReader, type StoreFigures } from '../../storage/declarations/figures.reader.js';

/*
 * prom-client sets a gauge without labels to 0 at start and on reset. Such a gauge is removed until its figure has been
 * read, because 0 would look like a real value.
 */

/**
 * Gauges declared by rooms. Each scrape reads the store once for all of them; they are omitted while the store cannot
 * be read.
 */
@Injectable()
export class OverviewMetrics {
  private reading: Promise<StoreFigures | null> | null = null;
  private readonly failures;

  constructor(
    private readonly reader: FiguresReader,
    private readonly messages: MessagesService,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    declarations: Declarations,
  ) {
    this.failures = metrics.counter('overview_read_failures_total', 'Scrapes that could not read the database');
    for (const gauge of declarations.gauges) this.show(gauge);
    this.showSilence();
  }

  private show(gauge: FigureGauge): void {
    if ('group' in gauge) {
      this.gauge(gauge, gauge.labels, (shown, figures) => {
        for (const row of figures[gauge.group]) shown.inc(labelsOf(row, gauge.labels), row.count);
      });
    } else if ('figures' in gauge) {
      this.gauge(gauge, [gauge.label], (shown, figures) => {
        for (const [value, name] of Object.entries(gauge.figures)) shown.set({ [gauge.label]: value }, figures[name]);
      });
    } else {
      this.gauge(gauge, [], (shown, figures) => shown.set(figures[gauge.figure]));
    }
  }

  private showSilence(): void {
    this.metrics.storeGauge(
      'last_delivery_age_seconds',
      'Time since the last message was received',
      [],
      async (gauge) => {
        const inbox = await this.messages.figures().catch(() => null);
        gauge.remove();
        if (inbox?.lastReceivedAt) gauge.set(Math.max(0, this.clock.now() - inbox.lastReceivedAt) / 1_000);
      },
    );
  }

  private gauge(
    { name, help }: FigureGauge,
    labels: readonly string[],
    show: (gauge: Gauge, figures: StoreFigures) => void,
  ): void {
    this.metrics.storeGauge<string>(name, help, labels, async (gauge) => {
      const figures = await this.figures();
      gauge.reset();
      if (labels.length === 0) gauge.remove();
      if (figures) show(gauge, figures);
    });
  }

  private figures(): Promise<StoreFigures | null> {
    const now = this.clock.now();
    this.reading ??= this.reader
      .read(now)
      .catch(() => {
        this.failures.inc();
        return null;
      })
      .finally(() => {
        this.reading = null;
      });
    return this.reading;
  }
}

function labelsOf(row: object, labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map((label) => [label, plain(String(row[label as keyof typeof row]))]));
}

/** Upstream's providers and states are open strings; a value that is not a slug is counted as `other`. */
function plain(name: string): string {
  return slugPattern.test(name) ? name : 'other';
}
