import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { AccountPath } from '../../http/server/account-path.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { toIso } from '../../platform/platform/time.js';
import type { Disconnection } from './disconnecting.service.js';

const outcomes = ['disconnected', 'already_disconnected', 'not_connected'] as const;
const afterwards = ['stays_disconnected', 'may_return'] as const;

export class OwnSourcePath {
  @ApiProperty({ type: String, description: 'Name of the provider, as in the list of sources.' })
  @Matches(slugPattern)
  provider: string;
}

export class SourcePath extends AccountPath {
  @ApiProperty({ type: String, description: 'Name of the provider, as in the list of sources.' })
  @Matches(slugPattern)
  provider: string;
}

export class DisconnectionDto {
  @ApiProperty()
  provider: string;

  @ApiProperty({
    enum: outcomes,
    description:
      'disconnected: by this call. already_disconnected: it was before. not_connected: the account never had this ' +
      'source, as far as is known here.',
  })
  outcome: (typeof outcomes)[number];

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  disconnected_at: string | null;

  @ApiProperty({
    enum: afterwards,
    description:
      'may_return: a source on the phone, which upstream connects again at its next sync if the app lets the SDK ' +
      'connect automatically, which is its default.',
  })
  afterwards: (typeof afterwards)[number];

  @ApiProperty({ description: 'A sentence about what upstream does from now on.' })
  note: string;
}

const notes: Readonly<Record<DisconnectionDto['afterwards'], string>> = {
  stays_disconnected:
    'Upstream gets no more data from this source until the person connects it again. Stored records stay.',
  may_return:
    'This source is on the phone. If the app lets the SDK connect it automatically, which is the default, upstream ' +
    'connects it again at its next sync; if the app connects it explicitly, it stays disconnected. Upstream does not ' +
    'tell which way an app uses. Stored records stay.',
};

export function toDisconnectionDto({ provider, outcome, at, mayReturn }: Disconnection): DisconnectionDto {
  const afterwards = mayReturn ? 'may_return' : 'stays_disconnected';
  const disconnected_at = at === null ? null : toIso(at);
  return { provider, outcome, disconnected_at, afterwards, note: notes[afterwards] };
}
