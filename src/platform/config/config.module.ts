import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import {
  AccessLogConfig,
  AdminConfig,
  AlertConfig,
  AppAuthConfig,
  AppResultsConfig,
  BackupConfig,
  CallerLimitsConfig,
  Config,
  DatabaseConfig,
  DeletionsConfig,
  DiskConfig,
  ErasureConfig,
  HttpConfig,
  IgnoredConfig,
  LinkConfig,
  LogConfig,
  PeopleConfig,
  PushConfig,
  RetentionConfig,
  RoleConfig,
  SyncConfig,
  UpstreamConfig,
  WebhookConfig,
} from './config.js';

/** Gives every part of one configuration under its class. */
@Module({})
export class ConfigModule {
  static register(config: Config): DynamicModule {
    const providers: Provider[] = [
      { provide: Config, useValue: config },
      { provide: HttpConfig, useValue: config.http },
      { provide: DatabaseConfig, useValue: config.database },
      { provide: RoleConfig, useValue: config.role },
      { provide: UpstreamConfig, useValue: config.upstream },
      { provide: WebhookConfig, useValue: config.webhook },
      { provide: AppAuthConfig, useValue: config.appAuth },
      { provide: AppResultsConfig, useValue: config.appResults },
      { provide: LinkConfig, useValue: config.link },
      { provide: AdminConfig, useValue: config.admin },
      { provide: PeopleConfig, useValue: config.people },
      { provide: CallerLimitsConfig, useValue: config.callerLimits },
      { provide: SyncConfig, useValue: config.sync },
      { provide: DeletionsConfig, useValue: config.deletions },
      { provide: AlertConfig, useValue: config.alert },
      { provide: RetentionConfig, useValue: config.retention },
      { provide: AccessLogConfig, useValue: config.accessLog },
      { provide: ErasureConfig, useValue: config.erasure },
      { provide: BackupConfig, useValue: config.backup },
      { provide: PushConfig, useValue: config.push },
      { provide: DiskConfig, useValue: config.disk },
      { provide: LogConfig, useValue: config.log },
      { provide: IgnoredConfig, useValue: config.ignored },
    ];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
