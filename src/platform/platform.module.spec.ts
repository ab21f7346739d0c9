import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { Config, SyncConfig, UpstreamConfig } from './config/config.js';
import { DatabaseConfig } from './config/database-config.js';
import { readConfig } from './config/environment.js';
import { PlatformModule, partsOf } from './platform.module.js';

describe('PlatformModule', () => {
  it('gives every part of the configuration by its token', async () => {
    const config = readConfig(
      {
        UPSTREAM_BASE_URL: 'http://localhost:4000',
        UPSTREAM_API_KEY: 'sk_us_synthetic',
        UPSTREAM_REGION: 'us',
        UPSTREAM_ENVIRONMENT: 'sandbox',
        WEBHOOK_SECRETS: 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY',
        APP_JWT_SECRET: 'synthetic-secret-of-at-least-32-bytes',
        ADMIN_API_KEYS: `desk:viewer:${'0'.repeat(64)}`,
      },
      ['sleep', 'mindfulness_minutes', 'blood_pressure'],
    );
    const module = await Test.createTestingModule({
      imports: [PlatformModule.register(config, partsOf(config, {}))],
    }).compile();
    const given = Object.values(config).map((part: object) => {
      return module.get<unknown>(part === config.database ? DatabaseConfig : part.constructor);
    });
    expect(given).toEqual(Object.values(config));
    expect(module.get(Config)).toBe(config);
    expect([module.get(SyncConfig), module.get(UpstreamConfig)]).toEqual([config.sync, config.upstream]);
    await module.close();
  });
});
