import { ApiProperty } from '@nestjs/swagger';
import { timeOrNull } from '../../http/server/openapi.js';
import { type AdminRole, adminRoles } from '../../platform/config/admin-roles.js';
import { environments, regions } from '../../platform/config/config.js';

class ProgramVersionsDto {
  @ApiProperty({ example: '0.9.0' }) pulsekeep: string;
  @ApiProperty({ example: '24.11.0' }) node: string;
  @ApiProperty({ enum: ['sqlite', 'postgres'] }) database: string;
  @ApiProperty({ type: String, nullable: true, description: 'Last migration that ran.' }) schema: string | null;
}

class UpstreamSettingsDto {
  @ApiProperty({ example: 'https://api.sandbox.us.example.com' }) base_url: string;
  @ApiProperty({ enum: regions }) region: string;
  @ApiProperty({ enum: environments }) environment: string;
}

export class KeyDto {
  @ApiProperty({ example: 'ops' }) name: string;
  @ApiProperty({ enum: adminRoles }) role: AdminRole;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Of the role feed: whether it reads values; null for other roles.',
  })
  feed_values: boolean | null;
  @ApiProperty({
    ...timeOrNull,
    description: 'When the access log last recorded it; reads that are not recorded do not count.',
  })
  last_recorded_at: string | null;
}

class VariableDto {
  @ApiProperty({ example: 'SYNC_INTERVAL_SECONDS' }) name: string;
  @ApiProperty({ type: String, nullable: true, example: '3600', description: 'Null if it is not set.' })
  value: string | null;
}

class WebhookSecretUseDto {
  @ApiProperty({ example: '3f7a09c2', description: 'First digits of the SHA-256 of its bytes.' })
  fingerprint: string;
  @ApiProperty({ format: 'date-time', description: 'When this process first noticed it.' })
  known_since: string;
  @ApiProperty({
    ...timeOrNull,
    description:
      'Last delivery to this process that it signed; null if none since then. Other processes are not included.',
  })
  last_used_at: string | null;
}

/** The configuration of the responding process, without secrets. */
export class SettingsDto {
  @ApiProperty() versions: ProgramVersionsDto;
  @ApiProperty() upstream: UpstreamSettingsDto;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of accepted webhook secrets.' })
  webhook_secrets: number;
  @ApiProperty({ type: [WebhookSecretUseDto], description: 'Current secret first.' })
  webhook_secret_uses: WebhookSecretUseDto[];
  @ApiProperty({ type: [KeyDto] }) keys: KeyDto[];
  @ApiProperty({ type: [VariableDto], description: 'Variables whose values are not secret.' }) variables: VariableDto[];
}
