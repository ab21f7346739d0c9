import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Config, DatabaseConfig } from './config.js';

/** Provides each part of the configuration under its class. */
@Module({})
export class ConfigModule {
  static register(config: Config): DynamicModule {
    const parts = Object.values(config).map((part: object): Provider => {
      return { provide: part === config.database ? DatabaseConfig : part.constructor, useValue: part };
    });
    const providers = [{ provide: Config, useValue: config }, ...parts];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
