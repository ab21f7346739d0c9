import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags, IntersectionType } from '@nestjs/swagger';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPageWith, ApiProblem } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { MessagesService } from '../../ingest/inbox/messages.service.js';
import { TracedSampleDto, TracedSummaryDto, toTracedRecordDto } from './record-provenance.dto.js';
import {
  mapRecords,
  OperatorRecordsQuery,
  type RecordsPage,
  ResourcePath,
  thinnedUntil,
  withFields,
} from './records.dto.js';
import { RecordsService } from './records.service.js';

class AccountRecordsPath extends IntersectionType(AccountPath, ResourcePath) {}

@ApiTags('records')
@ForOperators()
@Controller('admin/v1/accounts/:account_id/records')
export class RecordsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly records: RecordsService,
    private readonly messages: MessagesService,
  ) {}

  @Get(':resource')
  @Role('reader', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Stored records of an account with their provenance, oldest first' })
  @ApiPageWith({ thinned_until: thinnedUntil }, TracedSampleDto, TracedSummaryDto)
  @ApiProblem('invalid_request', 'not_found', 'not_synced')
  async listRecords(
    @Param() { account_id, resource }: AccountRecordsPath,
    @Query() query: OperatorRecordsQuery,
  ): Promise<RecordsPage<TracedSampleDto | TracedSummaryDto>> {
    const account = await this.accounts.get(account_id);
    const { relinked_at: relinkedAt } = account;
    // Operators see the records of former upstream users too.
    const page = await this.records.list({ ...account, relinked_at: null }, resource, query);
    const seqs = page.data.flatMap(({ provenance: { kind, ref } }) => (kind === 'message' ? [ref] : []));
    const messageIds = await this.messages.idsBySeq(seqs);
    return mapRecords(page, (record) =>
      withFields(toTracedRecordDto(resource, record, { messageIds, relinkedAt }), query.fields),
    );
  }
}
