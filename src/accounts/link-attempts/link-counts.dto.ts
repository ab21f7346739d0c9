import { ApiProperty } from '@nestjs/swagger';
import { count } from '../../http/server/openapi.js';
import type { LinkCounts } from './link-funnel.js';
import type { LinkFunnel } from './link-funnel.service.js';

/** Every attempt counts in exactly one of success, exit, error, open and expired. */
class LinkCountsDto implements LinkCounts {
  @ApiProperty({ ...count, description: 'Link tokens issued.' }) issued: number;
  @ApiProperty(count) success: number;
  @ApiProperty({
    ...count,
    description: 'Successes confirmed by a connection; the others were only reported by the app.',
  })
  confirmed: number;
  @ApiProperty({ ...count, description: 'Attempts that the person left.' }) exit: number;
  @ApiProperty(count) error: number;
  @ApiProperty({ ...count, description: 'Attempts without an outcome whose link token is still valid.' }) open: number;
  @ApiProperty({ ...count, description: 'Attempts without an outcome whose link token expired.' })
  expired: number;
}

class LinkErrorDto {
  @ApiProperty({ example: 'provider_credential_error' }) error_type: string;
  @ApiProperty(count) count: number;
}

class LinkProviderDto extends LinkCountsDto {
  @ApiProperty({ type: String, nullable: true, description: 'Null if no provider had been chosen.' })
  provider: string | null;
}

export class LinkFunnelDto {
  @ApiProperty() last_24_hours: LinkCountsDto;
  @ApiProperty() last_7_days: LinkCountsDto;
  @ApiProperty({
    type: [LinkErrorDto],
    description: 'Most frequent errors of the last 7 days, among the newest 10,000 attempts at most.',
  })
  errors: LinkErrorDto[];
  @ApiProperty({ type: [LinkProviderDto], description: 'Providers with the most of these attempts.' })
  providers: LinkProviderDto[];
}

export function toLinkFunnelDto({ day, week, errors, providers }: LinkFunnel): LinkFunnelDto {
  return { last_24_hours: day, last_7_days: week, errors: [...errors], providers: [...providers] };
}
