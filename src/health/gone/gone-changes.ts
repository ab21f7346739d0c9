import type { NewChange } from '../../storage/change-log/change.js';
import type { RecordRead } from '../reads/records.reader.js';
import type { MissingRecordEntity } from '../records/missing-record.entity.js';
import { SamplesChanges } from '../records/samples-changes.js';

/** Changes for hidden records: one for each series and one for each summary. */
export class GoneChanges {
  private readonly summaries: NewChange[] = [];
  private readonly series = new Map<number, { readonly provider: string; readonly samples: SamplesChanges }>();

  constructor(
    private readonly account: number,
    private readonly resource: string,
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
    const own = this.series.get(seriesId) ?? { provider, samples: new SamplesChanges() };
    this.series.set(seriesId, own);
    const [record] = records;
    const attributes = JSON.stringify(record?.kind === 'sample' ? record.attributes : {});
    own.samples.add({ time, attributes }, records.length, records.length);
  }

  all(): NewChange[] {
    const samples = [...this.series].flatMap(
      ([
        seriesId,
        {
          provider,
          samples: { sum },
        },
      ]): NewChange[] => {
        if (sum === null) return [];
        const { areNew: _, ...range } = sum;
        return [{ ...this.change('samples', String(seriesId), provider), samples: range }];
      },
    );
    return [...this.summaries, ...samples];
  }

  private change(kind: 'summary' | 'samples', subject: string, provider: string): NewChange {
    const { account, resource } = this;
    return { kind, action: 'gone', origin: 'repair', account, subject, resource, provider };
  }
}
