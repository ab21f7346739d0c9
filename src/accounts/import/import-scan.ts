import { Injectable } from '@nestjs/common';
import { nextOffset } from '../../upstream/client/user-scan.js';
import type { AccountImportEntity } from './account-import.entity.js';

/** Sizes of an import that no environment variable sets. */
@Injectable()
export class ImportTuning {
  /** Users a page, upstream's limit (docs/upstream/users.md#list). */
  pageSize = 500;
  /** Overlap between pages, so that users deleted during the scan do not hide others. */
  overlap = 50;
  /** Passes over the list while it does not stand still. */
  maxPasses = 3;
  /** Accounts compared with what was seen, and accounts upstream is asked for one by one, in a step. */
  compared = 1_000;
  verified = 10;
  /** Sightings removed in a step once the import has ended. */
  tidied = 5_000;
}

export type ScanState = Pick<AccountImportEntity, 'pass' | 'next_offset' | 'pass_total' | 'pass_seen'>;

/** A page of upstream's list, compared with the pages before it in this pass. */
export interface SeenPage {
  readonly received: number;
  /** Users upstream says it has. */
  readonly total: number;
  /** Users of the page that this pass had not seen before. */
  readonly fresh: number;
  /**
   * The first user of the page was already seen in this pass: no user is missing between this page and the previous
   * one.
   */
  readonly joined: boolean;
}

export type ScanStep = ScanState & Pick<AccountImportEntity, 'phase' | 'total' | 'stable'>;

/**
 * Where to read next. The list stood still if its length is what it was and all of them were seen; else it is read
 * again, a few times at most.
 */
export function afterPage(
  scan: ScanState,
  page: SeenPage,
  rule: Pick<ImportTuning, 'pageSize' | 'overlap' | 'maxPasses'>,
): ScanStep {
  const { pass, next_offset: offset } = scan;
  const pass_total = scan.pass_total ?? page.total;
  const pass_seen = scan.pass_seen + page.fresh;
  const place = { pass, next_offset: offset, pass_total, pass_seen };
  const stand: ScanStep = { ...place, total: page.total, phase: 'walk', stable: null };
  const next = nextOffset({ offset, ...page }, { size: rule.pageSize, overlap: rule.overlap });
  if (next !== null) return { ...stand, next_offset: next };
  const stable = page.total === pass_total && pass_seen >= page.total;
  if (stable || pass >= rule.maxPasses)
    return { ...stand, next_offset: offset + page.received, phase: 'verify', stable: stable ? 1 : 0 };
  return { ...stand, pass: pass + 1, next_offset: 0, pass_total: null, pass_seen: 0 };
}
