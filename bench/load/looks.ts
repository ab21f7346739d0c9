import { type Resource, resourceByName } from '../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../src/health/catalogue/map-records.js';
import type { Records } from '../../src/health/catalogue/records.js';
import type { Provenance } from '../../src/health/records/record.entity.js';
import { eventResource, source, wirePoints } from './points.js';

/** Records to apply: `looks` pages or messages of `size` samples each, spread over the accounts. */
export interface Load {
  readonly kind: 'message' | 'sync';
  readonly looks: number;
  readonly size: number;
  /** Observations submitted together, which may share a commit. */
  readonly together: number;
  readonly accounts: number;
  /** Index of the first point of every account. Loads that do not overlap create only new samples. */
  readonly from: number;
}

/** One page or message, ready to be applied. */
export interface Look {
  readonly account: number;
  readonly records: Records;
  readonly provenance: Provenance;
}

const resource = resourceByName(eventResource) as Resource;

/**
 * Pages are in order of accounts, as in a pull; messages alternate between accounts, as in deliveries. `generation`
 * determines the values; `at` is the time of the first look.
 */
export function looksOf(load: Load, generation: number, at: number): Look[] {
  const perAccount = Math.ceil(load.looks / load.accounts);
  return Array.from({ length: load.looks }, (_, number) => {
    const byPage = load.kind === 'sync';
    const account = byPage ? Math.floor(number / perAccount) : number % load.accounts;
    const turn = byPage ? number % perAccount : Math.floor(number / load.accounts);
    const data = wirePoints(load.from + turn * load.size, load.size, generation);
    return {
      account: account + 1,
      records: mapGroups(resource, [{ source, data }]),
      provenance: { kind: load.kind, ref: number + 1, ...(byPage ? { page: turn } : {}), at: at + number },
    };
  });
}
