import { everyRecord } from '../../health/reads/record-export.declarations.js';
import { toIso } from '../../platform/platform/time.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import type { ExportLine, ExportSource } from '../../storage/declarations/personal-data.js';
import { toRecordDto } from './records.dto.js';

/** Exports records in the format of `/accounts/{account_id}/records/{resource}`, without message, pull and page. */
async function* records({ reader }: ExportSource, accountId: number): AsyncGenerator<readonly ExportLine[]> {
  for await (const page of everyRecord(reader, accountId)) {
    yield page.map(({ resource, record }) => {
      const { kind, observedAt } = record.provenance;
      const provenance = { kind, observed_at: toIso(observedAt) };
      return { type: 'record', data: { ...toRecordDto(resource, record), provenance } };
    });
  }
}

export const recordsDeclarations: RoomDeclarations = { exports: [records] };
