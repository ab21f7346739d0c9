import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { AccountFilter } from '../../http/server/account-path.js';
import { OptionalField } from '../../http/server/openapi.js';
import { IsCalendarDate, IsText, rowNumber, ToInt } from '../../http/server/validation.js';
import { uuidPattern } from '../../platform/platform/ids.js';

const day = { type: String, format: 'date', example: '2026-11-01' } as const;

export class AuditReportQuery {
  @ApiProperty({ ...day, description: 'First UTC day.' })
  @IsCalendarDate()
  first_day: string;

  @ApiProperty({ ...day, description: 'Last UTC day.' })
  @IsCalendarDate()
  last_day: string;

  @AccountFilter() account_id?: string;

  @OptionalField({ enum: coveredResources })
  @IsIn(coveredResources)
  resource?: string;
}

export class ReportedAuditPath {
  @ToInt(rowNumber)
  audit_id: number;
}

export class AuditRefQuery {
  @ApiProperty({ format: 'uuid', description: 'From the head of the report.' })
  @IsText(uuidPattern, 'must be the id of a report')
  report_id: string;
}

export class AuditRefDto {
  @ApiProperty({ format: 'uuid' }) report_id: string;
  @ApiProperty({ example: 'ZsJbU0xkZcUgbjOlbmeqIg', description: 'What this report calls the account.' })
  account_ref: string;
}

class JsonWebKeyDto {
  @ApiProperty({ example: 'OKP' }) kty: string;
  @ApiProperty({ example: 'Ed25519' }) crv: string;
  @ApiProperty({ example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }) x: string;
  @ApiProperty({ description: 'RFC 7638 thumbprint.', example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' })
  kid: string;
  @ApiProperty({ example: 'EdDSA' }) alg: string;
  @ApiProperty({ example: 'sig' }) use: string;
}

export class KeySetDto {
  @ApiProperty({ type: [JsonWebKeyDto] }) keys: JsonWebKeyDto[];
}
