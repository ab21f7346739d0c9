import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { noteAnswers } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { Resource } from '../catalogue/catalogue.js';
import { dataTypeOf, listedDataTypes, type PreferredSource, type RankedSource, rankSources } from './priority-rule.js';
import { SourcePrioritiesRepository, type StoredPriorities } from './source-priorities.repository.js';

/** A list that an operator sets; null removes it. */
export interface PriorityChange {
  readonly dataType: string;
  readonly sources: readonly PreferredSource[] | null;
  /** Name of the key. */
  readonly by: string;
}

/** The lists of one data type. */
export interface PrioritiesOfType {
  readonly dataType: string;
  /** The list that applies; null if there is none. */
  readonly effective: StoredPriorities | null;
  readonly upstream: StoredPriorities | null;
}

/** Upstream's list for a data type, best first, and the number of entries that cannot be read. */
export interface ReadPriorities {
  readonly dataType: string;
  readonly sources: readonly PreferredSource[];
  readonly unreadable: number;
}

/** The first of these that has a list decides. */
const deciding = ['account', 'operator', 'upstream'] as const;

/** Decides which of several sources represents a person. `account` is `accounts.id`. */
@Injectable()
export class SourcePriorities {
  constructor(
    private readonly repository: SourcePrioritiesRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /** Sorts the sources of an account for a resource, best first. */
  async rank<S extends RankedSource>(
    account: number,
    resource: Pick<Resource, 'name' | 'family' | 'statistics' | 'instrument'>,
    sources: readonly S[],
  ): Promise<S[]> {
    if (sources.length < 2) return [...sources];
    const lists = await this.repository.lists(account, dataTypeOf(resource));
    return rankSources(decidingOf(lists)?.sources ?? [], sources, resource);
  }

  /** The lists of every data type, upstream's data types first. Null: only the lists of the deployment. */
  async all(account: number | null): Promise<PrioritiesOfType[]> {
    const lists = await this.repository.lists(account, null);
    const more = lists.map(({ data_type }) => data_type).filter((name) => !listedDataTypes.some((one) => one === name));
    return [...listedDataTypes, ...[...new Set(more)].sort()].map((dataType) => {
      const own = lists.filter(({ data_type }) => data_type === dataType);
      const upstream = own.find(({ origin }) => origin === 'upstream') ?? null;
      return { dataType, effective: decidingOf(own), upstream };
    });
  }

  /** Sets or removes the list of an account, or that of the deployment if null. Throws `account_erased`. */
  async change(account: number | null, { dataType, sources, by }: PriorityChange): Promise<void> {
    await this.lane.run(async (tx) => {
      if (account !== null) await assertWritable(tx, account);
      await this.noting(tx, account, dataType, () => {
        if (sources === null) return this.repository.remove(tx, account, dataType);
        const origin = account === null ? 'operator' : 'account';
        const change = { changed_at: this.clock.now(), changed_by: by };
        return this.repository.store(tx, account, { data_type: dataType, origin, sources, unreadable: 0, ...change });
      });
    });
  }

  /** Stores upstream's list; an empty one has no effect. */
  async keep(tx: Tx, { dataType, ...list }: ReadPriorities): Promise<void> {
    const place = { data_type: dataType, origin: 'upstream', changed_at: this.clock.now(), changed_by: null } as const;
    await this.noting(tx, null, dataType, () => this.repository.store(tx, null, { ...place, ...list }));
  }

  /** Notes that answers change if another order of sources applies after `act`. */
  private async noting(tx: Tx, account: number | null, dataType: string, act: () => Promise<void>): Promise<void> {
    const applying = async (): Promise<readonly PreferredSource[]> =>
      decidingOf(await this.repository.lists(account, dataType, tx))?.sources ?? [];
    const before = await applying();
    await act();
    if (isDeepStrictEqual(before, await applying())) return;
    await noteAnswers(tx, { account, rule: `source_priorities/${dataType}` }, this.clock.now());
  }
}

/** The list that applies. An empty list applies only if an operator set it, not if it is upstream's. */
function decidingOf(lists: readonly StoredPriorities[]): StoredPriorities | null {
  const chosen = deciding.map((origin) => lists.find((list) => list.origin === origin)).find((list) => list);
  return chosen && (chosen.origin !== 'upstream' || chosen.sources.length > 0) ? chosen : null;
}
