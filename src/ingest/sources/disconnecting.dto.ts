import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { AccountPath } from '../../http/server/account-path.js';
import { IsSlug } from '../../http/server/validation.js';
import { isoOrNull } from '../../platform/platform/time.js';
import type { Disconnection } from './disconnecting.service.js';

const outcomes = ['disconnected', 'already_disconnected', 'not_connected'] as const;
const afterwards = ['stays_disconnected', 'may_return'] as const;

export class OwnSourcePath {
  @ApiProperty({ type: String, description: 'Provider, as in the list of sources.' })
  @IsSlug()
  provider: string;
}

export class SourcePath extends IntersectionType(AccountPath, OwnSourcePath) {}

export class DisconnectionDto {
  @ApiProperty()
  provider: string;

  @ApiProperty({
    enum: outcomes,
    description:
      'disconnected: by this call. already_disconnected: before this call. not_connected: no such source of the ' +
      'account is known.',
  })
  outcome: (typeof outcomes)[number];

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  disconnected_at: string | null;

  @ApiProperty({
    enum: afterwards,
    description:
      'may_return: a source on the phone, which upstream reconnects at its next sync if the SDK connects ' +
      'automatically (its default).',
  })
  afterwards: (typeof afterwards)[number];

  @ApiProperty({ description: 'What upstream does from now on, as a sentence.' })
  note: string;
}

const notes: Readonly<Record<DisconnectionDto['afterwards'], string>> = {
  stays_disconnected:
    'Upstream receives no more data from this source until the person reconnects it. Stored records stay.',
  may_return:
    'This source is on the phone. Upstream reconnects it at its next sync if the app lets the SDK connect ' +
    'automatically, which is the default; otherwise it stays disconnected. Upstream does not report which ' +
    'setting an app uses. Stored records stay.',
};

export function toDisconnectionDto({ provider, outcome, at, mayReturn }: Disconnection): DisconnectionDto {
  const afterwards = mayReturn ? 'may_return' : 'stays_disconnected';
  const disconnected_at = isoOrNull(at);
  return { provider, outcome, disconnected_at, afterwards, note: notes[afterwards] };
}
