import { Injectable } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { MessagesService } from '../inbox/messages.service.js';
import { Clock } from '../platform/clock.js';
import { Metrics } from '../platform/metrics.js';
import { beginningsOf } from './alarms.js';
import { OverviewReader, type StoreFigures } from './overview.reader.js';

type Show<L extends string> = (gauge: Gauge<L>, figures: StoreFigures) => void;

/*
 * A gauge without labels has the value 0 from the start and after a reset; it is removed where 0 would be a figure that
 * nobody has read.
 */

/**
 * Gauges of what no feature measures by itself, read from the store at every scrape, once for all of them. While the
 * store cannot be read they are left out.
 */
@Injectable()
export class OverviewMetrics {
  private reading: Promise<StoreFigures | null> | null = null;
  private readonly failures;

  constructor(
    private readonly reader: OverviewReader,
    private readonly messages: MessagesService,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {
    this.failures = metrics.counter('overview_read_failures_total', 'Scrapes for which the store could not be read');
    this.showStates();
    this.showTrouble();
    this.showTokens();
    this.showSilence();
  }

  private showStates(): void {
    this.gauge('accounts', 'Accounts by status', ['status'], (gauge, { accounts }) => {
      for (const { status, count } of accounts) gauge.set({ status }, count);
    });
    this.gauge('connections', 'Connected sources by provider and status', ['provider', 'status'], (gauge, figures) => {
      for (const { provider, status, count } of figures.connections) {
        gauge.inc({ provider: plain(provider), status: plain(status) }, count);
      }
    });
    this.gauge('sync_tasks', 'Pulls that are not done, by status', ['status'], (gauge, figures) => {
      gauge.set({ status: 'pending' }, figures.tasks_pending);
      gauge.set({ status: 'running' }, figures.tasks_running);
      gauge.set({ status: 'failed' }, figures.tasks_failed);
    });
  }

  private showTrouble(): void {
    this.gauge('historical_pulls', "Upstream's pulls of history in trouble", ['status'], (gauge, figures) => {
      gauge.set({ status: 'failed' }, figures.pulls_failed);
      gauge.set({ status: 'retrying' }, figures.pulls_retrying);
      gauge.set({ status: 'stuck' }, figures.pulls_stuck);
    });
    this.gauge('critical_results', 'Results that a lab called critical', [], (gauge, { critical_results }) => {
      gauge.set(critical_results);
    });
    this.gauge('critical_results_last_7_days', 'Critical results heard of lately', [], (gauge, figures) => {
      gauge.set(figures.critical_results_lately);
    });
  }

  private showTokens(): void {
    const help = 'Installations that got too many sign-in tokens in the last 24 hours';
    this.gauge('frequent_installations', help, [], (gauge, figures) => gauge.set(figures.frequent_installations));
    this.gauge(
      'token_desk_open',
      '1 while tokens are issued, 0 while an operator stopped that',
      [],
      (gauge, figures) => {
        gauge.set(figures.tokens_closed_at === null ? 1 : 0);
      },
    );
  }

  private showSilence(): void {
    this.metrics.gauge('last_delivery_age_seconds', 'Time since the last message came', [], async (gauge) => {
      const inbox = await this.messages.figures().catch(() => null);
      gauge.remove();
      if (inbox?.lastReceivedAt) gauge.set(Math.max(0, this.clock.now() - inbox.lastReceivedAt) / 1_000);
    });
  }

  private gauge<L extends string>(name: string, help: string, labels: readonly L[], show: Show<L>): void {
    this.metrics.gauge<L>(name, help, labels, async (gauge) => {
      const figures = await this.figures();
      gauge.reset();
      if (labels.length === 0) gauge.remove();
      if (figures) show(gauge, figures);
    });
  }

  private figures(): Promise<StoreFigures | null> {
    const now = this.clock.now();
    this.reading ??= this.reader
      .read(beginningsOf(now))
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

/** Upstream's words for providers and states are open; what is no plain name is counted and not shown. */
function plain(name: string): string {
  return /^[a-z0-9_-]{1,64}$/.test(name) ? name : 'other';
}
