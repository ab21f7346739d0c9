import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { HealthModule } from '../health/health.module.js';
import { HttpModule } from '../http/http.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { LabsModule } from '../labs/labs.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import type { Config } from '../platform/config/config.js';
import { PlatformModule, type PlatformParts } from '../platform/platform.module.js';
import { PrivacyModule } from '../privacy/privacy.module.js';
import type { Store } from '../storage/database/store.js';
import { StorageModule } from '../storage/storage.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { rooms } from './rooms.js';

/** The wings, foundations first: each imports only those before it. test/architecture.spec.ts enforces the order. */
@Module({})
export class AppModule {
  static register(config: Config, parts: PlatformParts, store: Store, more: readonly Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.register(config, parts),
        UpstreamModule,
        StorageModule.register(store, rooms),
        HttpModule,
        AccountsModule,
        HealthModule,
        LabsModule,
        IngestModule,
        ChangesModule,
        PrivacyModule,
        OperationsModule,
        ...more,
      ],
    };
  }
}
