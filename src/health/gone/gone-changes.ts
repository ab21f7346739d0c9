import { hasFloatingTime } from '../../accounts/connections/provider-facts.js';
import type { NewChange } from '../../storage/change-log/change.js';
import type { Tx } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';
import type { ChangedDays } from '../clock/changed-days.service.js';
import { shiftOf } from '../clock/local-slots.js';
import type { RecordRead } from '../reads/stored-record.js';
import type { MissingRecordEntity } from '../records/missing-record.entity.js';
import { SamplesChanges } from '../records/samples-changes.js';

interface GoneSeries {
  readonly provider: string;
  readonly source_type: string;
  readonly samples: SamplesChanges;
}

/** Changes for hidden records: one for each series and one for each summary. */
export class GoneChanges {
  private readonly summaries: NewChange[] = [];
  private readonly series = new Map<number, GoneSeries>();

  constructor(
    private readonly account: number,
    private readonly resource: Pick<Resource, 'name' | 'ofNight'>,
  ) {}

  /** Records of one series must be added in order of time. */
  add(
    { summary_id: summaryId, series_id: seriesId, time, provider }: MissingRecordEntity,
    records: readonly RecordRead[],
  ): void {
    if (summaryId !== '') {
      this.summaries.push(this.change('summary', summaryId, provider));
      return;
    }
    const [record] = records;
    const rule = { isFloating: hasFloatingTime(provider), shift: shiftOf(this.resource) };
    const made = { provider, source_type: record?.sourceType ?? '', samples: new SamplesChanges(rule) };
    const own = this.series.get(seriesId) ?? made;
    this.series.set(seriesId, own);
    const attributes = JSON.stringify(record?.kind === 'sample' ? record.attributes : {});
    own.samples.add({ time, attributes }, records.length, records.length);
  }

  async all(tx: Tx, days: ChangedDays): Promise<NewChange[]> {
    const changes = [...this.summaries];
    const { account } = this;
    for (const [seriesId, { samples, ...source }] of this.series) {
      if (samples.sum === null) continue;
      const { areNew: _, ...unplaced } = samples.sum;
      const placed = await days.placed(tx, { account, ...source, shift: shiftOf(this.resource) }, unplaced);
      changes.push({ ...this.change('samples', String(seriesId), source.provider), samples: placed });
    }
    return changes;
  }

  private change(kind: 'summary' | 'samples', subject: string, provider: string): NewChange {
    const { account, resource } = this;
    return { kind, action: 'gone', origin: 'repair', account, subject, resource: resource.name, provider };
  }
}
