import { ApiProperty } from '@nestjs/swagger';
import { OptionalField, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsSlug, IsUpstreamWord, ToBool } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import type { ListedSource, Retirement, SuccessorEvidence } from './source-list.service.js';

export class SourceListQuery extends PageQuery {
  @OptionalField({ type: Boolean, description: 'true: only sources of retired providers. false: all others.' })
  @ToBool()
  retired?: boolean;

  @OptionalField({ description: 'Provider slug.' })
  @IsSlug()
  provider?: string;

  @OptionalField({ description: "Upstream's word: connected, error, paused, ...", example: 'error' })
  @IsUpstreamWord()
  status?: string;
}

class SuccessorEvidenceDto implements SuccessorEvidence {
  @ApiProperty() connected: boolean;
  @ApiProperty({
    description:
      'Upstream pulled the history of at least one resource, all of it is stored, and no pull is open or failed.',
  })
  history_complete: boolean;
  @ApiProperty() records_stored: boolean;
  @ApiProperty({ description: 'The newest stored record is later than the connection.' }) new_record: boolean;
}

export class RetirementDto {
  @ApiProperty({ format: 'date', description: "Last day of the provider's API." }) retired_on: string;
  @ApiProperty({ description: 'Provider to connect instead.' }) successor: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null if the person never connected it.' })
  successor_status: string | null;
  @ApiProperty({ ...time, nullable: true }) successor_connected_at: string | null;
  @ApiProperty() evidence: SuccessorEvidenceDto;
  @ApiProperty({ description: 'True with all evidence: the old source can be disconnected without a gap.' })
  ready_to_disconnect: boolean;
}

export class SourceDto {
  @ApiProperty() account_id: string;
  @ApiProperty() provider: string;
  @ApiProperty({ description: 'connected, error or paused; upstream may add values.' }) status: string;
  @ApiProperty({ type: String, nullable: true }) error_type: string | null;
  @ApiProperty({ ...time, nullable: true }) connected_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When a record of the source was last added, changed or hidden.' })
  data_changed_at: string | null;
  @ApiProperty({ ...time, description: 'When upstream last reported this state.' }) observed_at: string;
  @ApiProperty({ type: RetirementDto, nullable: true, description: 'Null for a provider that is not retired.' })
  retirement: RetirementDto | null;
}

export function toSourceDto(source: ListedSource): SourceDto {
  const { account, provider, status, error_type, retirement } = source;
  return {
    account_id: account,
    provider,
    status,
    error_type,
    connected_at: isoOrNull(source.connected_at),
    data_changed_at: isoOrNull(source.dataChangedAt),
    observed_at: toIso(source.observed_at),
    retirement: retirement && toRetirementDto(retirement),
  };
}

function toRetirementDto({ succession, successor, evidence }: Retirement): RetirementDto {
  return {
    retired_on: succession.retired_on,
    successor: succession.successor,
    successor_status: successor?.status ?? null,
    successor_connected_at: isoOrNull(successor?.connected_at ?? null),
    evidence,
    ready_to_disconnect: Object.values(evidence).every((holds) => holds === true),
  };
}
