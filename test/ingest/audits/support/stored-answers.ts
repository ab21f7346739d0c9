import { isWhole, type Resource } from '../../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../../src/health/catalogue/records.js';
import { RecordsReader } from '../../../../src/health/reads/records.reader.js';
import { HealthDataRepository } from '../../../../src/health/records/health-data.repository.js';
import { HealthDataService } from '../../../../src/health/records/health-data.service.js';
import { SeriesIndex } from '../../../../src/health/records/series-index.repository.js';
import { type CanonicalObject } from '../../../../src/ingest/audits/canonical-object.js';
import { type ComparedDay, compareDays } from '../../../../src/ingest/audits/day-comparison.js';
import { storedObjects } from '../../../../src/ingest/audits/stored-objects.js';
import { wireObjects } from '../../../../src/ingest/audits/wire-objects.js';
import { refuse } from '../../../../src/platform/platform/json-reader.js';
import { readSummaries, readTimeseriesPage } from '../../../../src/upstream/client/wire-data.js';
import { utcDays } from '../../../health/records/support/utc-days.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { type TestStore, testStore } from '../../../support/test-store.js';
import { days, providers } from './answers.js';

const now = Date.parse('2026-11-20T00:00:00Z');

/** Reads a page as this program does; a test may make a mistake of it. */
export type ReadPage = (resource: Resource, page: unknown) => Records;

export function readPage(resource: Resource, page: unknown): Records {
  return isWhole(resource)
    ? mapSummaries(resource, readSummaries(page, resource.responseKey))
    : mapGroups(resource, readTimeseriesPage(page, refuse).groups);
}

/**
 * A store that is filled by the real readers and the real `apply`, and compared with the answers it was filled from.
 */
export class StoredAnswers {
  private refs = 0;
  private constructor(
    readonly store: TestStore,
    private readonly apply: HealthDataService,
  ) {}

  static async create(): Promise<StoredAnswers> {
    const apply = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new FakeClock(now), utcDays);
    return new StoredAnswers(await testStore(), apply);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  async account(): Promise<number> {
    const [row] = await this.store.lane.run((tx) =>
      tx.rows<{ id: number }>(
        `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`,
        [`account-${++this.refs}`],
      ),
    );
    return (row as { id: number }).id;
  }

  /** Stores the pages of one pull. Returns how many objects could not be stored. */
  async pull(
    account: number,
    resource: Resource,
    pages: readonly unknown[],
    read: ReadPage = readPage,
  ): Promise<number> {
    const ref = ++this.refs;
    let rejected = 0;
    for (const [page, content] of pages.entries()) {
      const records = read(resource, content);
      rejected += records.rejected;
      const provenance = { kind: 'sync', ref, page, at: now + this.refs } as const;
      await this.store.lane.run((tx) => this.apply.apply(tx, { account, records, provenance }));
    }
    return rejected;
  }

  async stored(account: number, resource: Resource): Promise<CanonicalObject[]> {
    const all = { start: null, end: null, provider: null, sourceType: null, after: null, limit: 10_000 };
    const records = await new RecordsReader(this.store.reader).list({ account, resource, ...all });
    return records.map(storedObjects(resource));
  }

  /** Every day of every source that has something on either side. */
  async compare(account: number, resource: Resource, pages: readonly unknown[]): Promise<ComparedDay[]> {
    const [wire, stored] = [wireObjects(resource, pages), await this.stored(account, resource)];
    const all = [...new Set([...days, ...[...wire, ...stored].flatMap(({ day }) => day ?? [])])];
    return [...providers, 'unknown'].flatMap((provider) => compareDays(resource, provider, all, { wire, stored }));
  }
}
