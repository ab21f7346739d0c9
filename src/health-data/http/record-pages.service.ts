import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors.js';
import { decodeCursor } from '../../platform/http/cursor.js';
import { type Page, pageOf } from '../../platform/http/page.js';
import { type Resource, resourceByName } from '../catalogue.js';
import { type RecordRead, RecordsReader } from '../records.reader.js';
import type { RecordsListQuery } from './records.query.js';

/** Pages of one account's stored records of one resource, oldest first. */
@Injectable()
export class RecordPages {
  constructor(private readonly records: RecordsReader) {}

  /**
   * `account` is the internal number. Throws `not_found` for a name that is not in the catalogue, `invalid_request` for a
   * cursor of another list and for a range that ends before it begins.
   */
  async list(account: number, resourceName: string, query: RecordsListQuery): Promise<Page<RecordRead>> {
    const resource = resourceByName(resourceName);
    if (!resource) throw new AppError('not_found', 'There is no such resource.');
    const { start = null, end = null, provider = null, source_type: sourceType = null, limit } = query;
    assertRange(start, end);
    const after = afterOf(resource, query.cursor);
    const wanted = { account, resource, start, end, provider, sourceType, after };
    const rows = await this.records.list({ ...wanted, limit: limit + 1 });
    return pageOf(rows, limit, (row) => [row.time, row.kind === 'sample' ? row.seriesId : row.summaryId]);
  }
}

function afterOf(resource: Resource, cursor: string | undefined): readonly [number, number | string] | null {
  if (cursor === undefined) return null;
  return resource.family === 'summary'
    ? decodeCursor(cursor, ['number', 'string'])
    : decodeCursor(cursor, ['number', 'number']);
}

function assertRange(start: number | null, end: number | null): void {
  if (start === null || end === null || start <= end) return;
  const fields = [{ field: 'end', message: 'end must not be before start' }];
  throw new AppError('invalid_request', 'The range ends before it begins.', { fields });
}
