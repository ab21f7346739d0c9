import { ApiPropertyOptional } from '@nestjs/swagger';
import { KeepsUnknownFields } from '../../http/server/openapi.js';

/*
 * The documented fields of an upstream result (docs/upstream/results.md#the-result). Objects are passed on unchanged,
 * so fields may be missing, null or new.
 */

type Text = string | null;
type TextOrNumber = string | number | null;

const text = { type: 'string', nullable: true } as const;
const flag = { type: 'boolean', nullable: true } as const;
const textOrNumber = {
  anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }],
} as unknown as typeof text;

@KeepsUnknownFields()
export class ResultMetadata {
  @ApiPropertyOptional(text) patient?: Text;
  @ApiPropertyOptional(textOrNumber) age?: TextOrNumber;
  @ApiPropertyOptional(text) dob?: Text;
  @ApiPropertyOptional(textOrNumber) patient_id?: TextOrNumber;
  @ApiPropertyOptional({ ...textOrNumber, description: 'Account at the lab, not of Pulsekeep.' })
  account_id?: TextOrNumber;
  @ApiPropertyOptional(text) specimen_number?: Text;
  @ApiPropertyOptional(text) date_collected?: Text;
  @ApiPropertyOptional(text) date_received?: Text;
  @ApiPropertyOptional(text) date_reported?: Text;
  @ApiPropertyOptional(text) provider?: Text;
  @ApiPropertyOptional(text) laboratory?: Text;
  @ApiPropertyOptional({
    ...text,
    description: 'Original status from upstream; use the status of the response instead.',
  })
  status?: Text;
  @ApiPropertyOptional(text) interpretation?: Text;
}

/** Origin of a marker in the ordered tests. */
@KeepsUnknownFields()
export class SourceMarker {
  @ApiPropertyOptional({ type: 'integer', nullable: true }) marker_id?: number | null;
  @ApiPropertyOptional(text) name?: Text;
  @ApiPropertyOptional(text) slug?: Text;
  @ApiPropertyOptional(text) provider_id?: Text;
}

const sources = {
  type: SourceMarker,
  isArray: true,
  nullable: true,
  description: 'Ordered markers it belongs to; null if it was not ordered.',
} as const;

/** A measured value. */
@KeepsUnknownFields()
export class Marker {
  @ApiPropertyOptional(text) name?: Text;
  @ApiPropertyOptional(text) slug?: Text;
  @ApiPropertyOptional({ ...text, description: 'The value as text.' }) result?: Text;
  @ApiPropertyOptional({
    ...text,
    description: 'numeric, range, comment or coded_value; upstream may add values.',
  })
  type?: Text;
  @ApiPropertyOptional({ ...textOrNumber, description: 'Deprecated; -1 if the result is not a number.' })
  value?: TextOrNumber;
  @ApiPropertyOptional(text) unit?: Text;
  @ApiPropertyOptional(text) timestamp?: Text;
  @ApiPropertyOptional(text) notes?: Text;
  @ApiPropertyOptional(text) reference_range?: Text;
  @ApiPropertyOptional(textOrNumber) min_range_value?: TextOrNumber;
  @ApiPropertyOptional(textOrNumber) max_range_value?: TextOrNumber;
  @ApiPropertyOptional(flag) is_above_max_range?: boolean | null;
  @ApiPropertyOptional(flag) is_below_min_range?: boolean | null;
  @ApiPropertyOptional(text) interpretation?: Text;
  @ApiPropertyOptional(text) loinc?: Text;
  @ApiPropertyOptional(text) loinc_slug?: Text;
  @ApiPropertyOptional(text) provider_id?: Text;
  @ApiPropertyOptional(sources) source_markers?: SourceMarker[] | null;
  @ApiPropertyOptional(text) source_sample_id?: Text;
}

/** An ordered marker that could not be measured. */
@KeepsUnknownFields()
export class MissingMarker {
  @ApiPropertyOptional(text) name?: Text;
  @ApiPropertyOptional(text) slug?: Text;
  @ApiPropertyOptional({
    ...text,
    description: 'E.g. quantity_not_sufficient_failure; upstream may add values.',
  })
  inferred_failure_type?: Text;
  @ApiPropertyOptional(text) note?: Text;
  @ApiPropertyOptional(text) loinc?: Text;
  @ApiPropertyOptional(text) loinc_slug?: Text;
  @ApiPropertyOptional(text) provider_id?: Text;
  @ApiPropertyOptional(sources) source_markers?: SourceMarker[] | null;
}

/** Values of an old result, in an object of any form. */
@KeepsUnknownFields()
export class LegacyResult {
  [field: string]: unknown;
}

const timeOfSample = {
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      additionalProperties: true,
      properties: { timestamp: text, timezone_offset: { type: 'integer' } },
    },
    { type: 'null' },
  ],
} as unknown as typeof text;
type TimeOfSample = Text | { readonly timestamp?: Text; readonly timezone_offset?: number };

@KeepsUnknownFields()
export class SampleInformation {
  @ApiPropertyOptional(text) sample_id?: Text;
  @ApiPropertyOptional(text) control_number?: Text;
  @ApiPropertyOptional(timeOfSample) date_collected?: TimeOfSample;
  @ApiPropertyOptional(timeOfSample) date_received?: TimeOfSample;
  @ApiPropertyOptional(timeOfSample) date_reported?: TimeOfSample;
}
