import { OptionalField } from '../../http/server/openapi.js';
import { IsText, ToInt } from '../../http/server/validation.js';

const dayOrTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

export class LabelsQuery {
  @OptionalField({ type: 'integer', minimum: 1, maximum: 50, description: "Default: upstream's." })
  @ToInt({ min: 1, max: 50 })
  number_of_labels?: number;

  @OptionalField({
    type: 'string',
    example: '2026-11-20',
    description: 'Day or time of the collection, printed on the labels. Passed to upstream unchanged.',
  })
  @IsText(dayOrTime, 'a date, YYYY-MM-DD, or an RFC 3339 time')
  collection_date?: string;
}
