import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { UpstreamErrorKind } from '../../upstream/transport/upstream-error.js';
import type { CacheUse } from './answer-cache.js';

export type LabSearch =
  | 'availability'
  | 'compendium'
  | 'conversion'
  | 'lab_tests'
  | 'lab_test'
  | 'lab_test_markers'
  | 'areas'
  | 'places';
export type LabCallOutcome = 'found' | 'nothing' | 'input_refused' | UpstreamErrorKind;

/** Logs and counts lab searches, never the query or the response. */
@Injectable()
export class LabsTelemetry {
  private readonly uses;
  private readonly calls;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.uses = metrics.counter('labs_answers_total', 'Lab searches by origin of the response', ['search', 'use']);
    this.calls = metrics.counter('labs_calls_total', 'Lab searches sent to upstream', ['search', 'outcome']);
  }

  used(search: LabSearch, use: CacheUse): void {
    this.uses.inc({ search, use });
  }

  called(search: LabSearch, outcome: LabCallOutcome): void {
    this.calls.inc({ search, outcome });
    this.log.event('labs.searched', { kind: search, outcome });
  }
}
