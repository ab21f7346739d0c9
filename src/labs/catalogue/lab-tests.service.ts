import { Injectable } from '@nestjs/common';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, encodeCursor, invalidCursor } from '../../platform/platform/paging.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireLabTest, WireLabTestPage, WireMarker } from '../../upstream/client/wire-labs.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { MAX_LAB_TESTS_AGE_MS } from '../keys/tuning.js';
import { LabCalls } from './lab-calls.js';

/** Upstream's default; larger values are not documented (docs/upstream/orders.md#lab-tests). */
const MAX_PAGE = 50;

/** A test has rarely more than a page of markers. */
const MAX_MARKER_PAGES = 20;

export interface LabTestList {
  readonly tests: readonly WireLabTest[];
  readonly unreadable: number;
  /** Our own cursor; null on the last page. */
  readonly nextCursor: string | null;
}

/** Orderable tests, as listed by upstream; cached for up to a minute. */
@Injectable()
export class LabTestsService {
  private readonly page;
  private readonly test;
  private readonly allMarkers;

  constructor(upstream: UpstreamClient, calls: LabCalls) {
    this.page = calls.asking({
      search: 'lab_tests',
      limits: { entries: 500, bytes: 8 * 1024 * 1024 },
      validUntil: (_, now) => now + MAX_LAB_TESTS_AGE_MS,
      send: (input: { limit: number; cursor: string | null }, options) => upstream.labTests(input, options),
      isEmpty: ({ tests }) => tests.length === 0,
      show: (page: WireLabTestPage) => page,
      refusalHint: 'the cursor may be too old.',
    });
    const ofOne = {
      limits: { entries: 200, bytes: 8 * 1024 * 1024 },
      validUntil: (found: unknown, now: number) => now + (found === null ? 0 : MAX_LAB_TESTS_AGE_MS),
      isEmpty: (found: unknown) => found === null,
      refusalHint: 'the test may be unknown to it.',
    };
    this.test = calls.asking({
      ...ofOne,
      search: 'lab_test',
      send: ({ id }: { id: string }, options) => upstream.labTest(id, options),
      show: (test) => test,
    });
    this.allMarkers = calls.asking({
      ...ofOne,
      search: 'lab_test_markers',
      send: ({ id }: { id: string }, options) => markersOf(upstream, id, options),
      show: (markers) => markers,
    });
  }

  /**
   * One page in upstream's order, often shorter than `limit`. Throws `invalid_request` for an invalid cursor, and
   * `UpstreamError`.
   */
  async list(limit: number, cursor: string | undefined, left?: AbortSignal): Promise<LabTestList> {
    const [after] = cursor === undefined ? [null] : decodeCursor(cursor, ['string']);
    const query = { limit: Math.min(limit, MAX_PAGE), cursor: after };
    const { tests, unreadable, nextCursor } = await this.page(query, { left }).catch((error: unknown) => {
      const isRefused = error instanceof AppError && error.code === 'upstream_invalid_request';
      throw isRefused && after !== null ? invalidCursor() : error;
    });
    return { tests, unreadable, nextCursor: nextCursor === null ? null : encodeCursor([nextCursor]) };
  }

  /** Cached for up to a minute. Throws `not_found` and `UpstreamError`. */
  async get(id: string, left?: AbortSignal): Promise<WireLabTest> {
    return orNotFound(await this.test({ id: id.toLowerCase() }, { left }), noTest);
  }

  /**
   * The markers of a test, with the questions to answer when it is ordered; cached for up to a minute. Throws
   * `not_found` and `UpstreamError`.
   */
  async markers(id: string, left?: AbortSignal): Promise<readonly WireMarker[]> {
    return orNotFound(await this.allMarkers({ id: id.toLowerCase() }, { left }), noTest);
  }
}

const noTest = 'There is no such lab test.';

/** All pages of a test's markers; null if there is no such test. */
async function markersOf(upstream: UpstreamClient, id: string, options: CallOptions): Promise<WireMarker[] | null> {
  const markers: WireMarker[] = [];
  for (let page = 1; ; page++) {
    const read = await upstream.labTestMarkers(id, page, options);
    if (read === null) return null;
    markers.push(...read.markers);
    if (page >= read.pages || read.markers.length === 0) return markers;
    if (page === MAX_MARKER_PAGES) throw endless('GET /v3/lab_tests/{lab_test_id}/markers', 'pages');
  }
}

function endless(operation: string, field: string): UpstreamError {
  return new UpstreamError({ kind: 'contract', reason: 'missing_field', field, operation });
}
