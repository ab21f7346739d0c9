import { Injectable } from '@nestjs/common';
import { nextOffset } from '../../upstream/client/user-scan.js';
import type { AccountImportEntity } from './account-import.entity.js';

/** Limits of an import that are not configurable by environment variables. */
@Injectable()
export class ImportTuning {
  /** Users per page: upstream's maximum (docs/upstream/users.md#list). */
  pageSize = 500;
  /** Overlap between pages, so that users deleted during the scan do not hide others. */
  overlap = 50;
  /** Maximum number of passes over a list that keeps changing. */
  maxPasses = 3;
  /** Accounts per step that are compared with the seen users; `verified`: that are looked up individually. */
  compared = 1_000;
  verified = 10;
  /** Seen users deleted per step once the import has ended. */
  tidied = 5_000;
}

export type ScanState = Pick<AccountImportEntity, 'pass' | 'next_offset' | 'pass_total' | 'pass_seen'>;

/** A page of upstream's list, compared with the pages before it in this pass. */
export interface SeenPage {
  readonly received: number;
  /** Number of users that upstream reports. */
  readonly total: number;
  /** Number of users of the page that this pass had not seen before. */
  readonly fresh: number;
  /**
   * True if this pass had already seen the first user of the page, so that no user is missing between this page and the
   * previous one.
   */
  readonly joined: boolean;
}

export type ScanStep = ScanState & Pick<AccountImportEntity, 'phase' | 'total' | 'stable'>;

/**
 * Where to continue. The list was stable during a pass if its length did not change and every user was seen; otherwise
 * another pass follows, up to `maxPasses`.
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
