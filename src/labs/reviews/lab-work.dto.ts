import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { IsAccountId } from '../../http/server/account-path.js';
import { OptionalField, textOrNull, time } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { toIso } from '../../platform/platform/time.js';
import { type LabWorkItem, type LabWorkKind, labWorkKinds, labWorkReasons } from './lab-work.reader.js';

const maybeId = { ...textOrNull, format: 'uuid' } as const;

export class LabWorkQuery extends PageQuery {
  @OptionalField({ enum: labWorkKinds, description: 'Only items of this kind.' })
  @IsIn(labWorkKinds)
  kind?: LabWorkKind;

  @OptionalField({ type: String, minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id?: string;
}

/** Something that the clinic must do. Contains no health values. */
export class LabWorkDto {
  @ApiProperty({
    enum: labWorkKinds,
    description:
      'notify: inform the patient; book: the draw; decide: about an unmatched result; replace: resend a kit, order ' +
      'again, or supply what the lab waits for; chase: ask upstream or the lab.',
  })
  kind: LabWorkKind;
  @ApiProperty({ enum: labWorkReasons, example: 'critical' }) reason: string;
  @ApiProperty({ ...time, description: 'When it was learned of.' }) since: string;
  @ApiProperty({ ...textOrNull, description: 'Null if no account is known.' }) account_id: string | null;
  @ApiProperty({ ...maybeId, description: 'The order concerned, or the newest of its transaction.' })
  order_id: string | null;
  @ApiProperty(maybeId) order_transaction_id: string | null;
  @ApiProperty({ ...textOrNull, description: 'Of an unmatched result: its id.' }) unmatched_result_id: string | null;
  @ApiProperty({ ...textOrNull, example: 'Lipid Panel' }) lab_test_name: string | null;
  @ApiProperty({ ...textOrNull, example: 'Quest' }) lab_name: string | null;
  @ApiProperty({
    example: 'POST /admin/v1/orders/11111111-1111-4111-8111-111111111111/notified',
    description: 'The one request with which this item is worked on.',
  })
  action: string;
}

export function toLabWorkDto(item: LabWorkItem): LabWorkDto {
  const { kind, reason, order_id, order_transaction_id, lab_test_name, lab_name } = item;
  return {
    kind,
    reason,
    since: toIso(item.since),
    account_id: item.external_id,
    order_id,
    order_transaction_id,
    unmatched_result_id: kind === 'decide' ? item.id : null,
    lab_test_name,
    lab_name,
    action: actionOf(item),
  };
}

function actionOf({ kind, reason, id, order_id, order_transaction_id }: LabWorkItem): string {
  const transaction = `order-transactions/${order_transaction_id}`;
  switch (kind) {
    case 'notify':
      return `POST /admin/v1/${reason === 'critical' ? `orders/${id}` : transaction}/notified`;
    case 'book':
      return `POST /admin/v1/orders/${order_id}/appointment`;
    case 'decide':
      return `GET /admin/v1/unmatched-results/${id}`;
    case 'replace':
      return `POST /admin/v1/${transaction}/${reason === 'replace' ? 'replaced' : 'refresh'}`;
    case 'chase':
      if (reason === 'inconsistent') return `POST /admin/v1/${transaction}/refresh`;
      return id === order_id ? `GET /admin/v1/orders/${id}/result` : `GET /admin/v1/${transaction}/result`;
  }
}
