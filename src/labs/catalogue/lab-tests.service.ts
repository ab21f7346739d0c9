import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { decodeCursor, encodeCursor, invalidCursor } from '../../platform/platform/paging.js';
import {
  EndlessPages,
  follow,
  notBegun,
  type PageLimits,
  type Paging,
  type ReadPage,
} from '../../upstream/client/cursor-guard.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireLabTest, WireLabTestPage } from '../../upstream/client/wire-labs.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { LabCalls } from './lab-calls.js';

/** Upstream's default; larger values are not documented (docs/upstream/orders.md#lab-tests). */
const MAX_PAGE = 50;

/** Short, so that a new test appears soon. */
const ceilingMs = 60_000;
const mostPages: PageLimits = { pages: 1_000, emptyPages: 2, repeatedPages: 1 };

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

  constructor(upstream: UpstreamClient, calls: LabCalls) {
    this.page = calls.asking({
      search: 'lab_tests',
      limits: { entries: 500, bytes: 8 * 1024 * 1024 },
      validUntil: (_, now) => now + ceilingMs,
      send: (input: { limit: number; cursor: string | null }, options) => upstream.labTests(input, options),
      isEmpty: ({ tests }) => tests.length === 0,
      show: (page: WireLabTestPage) => page,
      refusalHint: 'the cursor may be too old.',
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

  /** Finds a test by walking the list, because no other call is documented. Throws `not_found` and `UpstreamError`. */
  async get(id: string, left?: AbortSignal): Promise<WireLabTest> {
    let cursor: string | null = null;
    let paging = notBegun;
    do {
      const { tests, nextCursor: next }: WireLabTestPage = await this.page({ limit: MAX_PAGE, cursor }, { left });
      const found = tests.find((test) => test.id.toLowerCase() === id.toLowerCase());
      if (found) return found;
      if (next !== null)
        paging = afterPage(paging, { sent: cursor, next, content: tests.map((test) => test.id).join() });
      cursor = next;
    } while (cursor !== null);
    throw new AppError('not_found', 'There is no such lab test.');
  }
}

/** Limits the walk, because a person waits for the response. */
function afterPage(paging: Paging, page: ReadPage): Paging {
  try {
    return follow(paging, page, mostPages);
  } catch (error) {
    if (!(error instanceof EndlessPages)) throw error;
    const facts = { kind: 'contract', reason: 'missing_field', field: 'next_cursor' } as const;
    throw new UpstreamError({ ...facts, operation: 'GET /v3/lab_test' });
  }
}
