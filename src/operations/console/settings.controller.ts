import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { SecretUses } from '../../ingest/inbox/secret-uses.js';
import type { AdminKey } from '../../platform/config/admin-key.js';
import { Config } from '../../platform/config/config.js';
import { version } from '../../platform/config/versions.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { AccessLogSearch } from '../../privacy/access-log/access-log-search.service.js';
import { Reader } from '../../storage/database/reader.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import { type KeyDto, SettingsDto } from './settings.dto.js';
import { shownVariables } from './shown-variables.js';

@ApiTags('console')
@ForOperators()
@Controller('admin/v1/settings')
export class SettingsController {
  constructor(
    private readonly config: Config,
    private readonly reader: Reader,
    private readonly schema: SchemaService,
    private readonly accessLog: AccessLogSearch,
    private readonly secrets: SecretUses,
  ) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Get the configuration without secrets, the versions and the names of keys' })
  @ApiOkResponse({ type: SettingsDto })
  async getSettings(): Promise<SettingsDto> {
    const { upstream, webhook, admin } = this.config;
    const [schema, keys] = await Promise.all([
      this.schema.lastMigration(),
      Promise.all(admin.keys.current.map((key) => this.keyOf(key))),
    ]);
    return {
      versions: { pulsekeep: version, node: process.versions.node, database: this.reader.dialect, schema },
      upstream: { base_url: upstream.baseUrl, region: upstream.region, environment: upstream.environment },
      webhook_secrets: webhook.secrets.current.length,
      webhook_secret_uses: this.secrets.current().map(({ fingerprint, knownSince, lastUsedAt }) => ({
        fingerprint,
        known_since: toIso(knownSince),
        last_used_at: isoOrNull(lastUsedAt),
      })),
      keys,
      variables: shownVariables(this.config),
    };
  }

  private async keyOf({ name, role, feed }: AdminKey): Promise<KeyDto> {
    const feed_values = role === 'feed' ? feed.values : null;
    return { name, role, feed_values, last_recorded_at: isoOrNull(await this.accessLog.lastOf(name)) };
  }
}
