import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { UpstreamConfig } from '../../src/config/config.js';
import { Secret } from '../../src/config/secret.js';
import { Clock, SystemClock } from '../../src/platform/clock.js';
import { Log } from '../../src/platform/log.js';
import { Metrics } from '../../src/platform/metrics.js';
import { NetworkGate } from '../../src/platform/network-gate.js';
import { UpstreamClient } from '../../src/upstream/upstream.client.js';
import { UpstreamModule } from '../../src/upstream/upstream.module.js';
import { apiKey } from './support/client.js';
import { json, ScriptedServer } from './support/scripted-server.js';

const userId = '00000000-0000-4000-8000-000000000001';

function surroundings(baseUrl: string) {
  const config = new UpstreamConfig({
    baseUrl,
    apiKey: new Secret(apiKey),
    apiKeyHeader: 'x-service-api-key',
    region: 'us',
    environment: 'sandbox',
    availabilityInput: 'body',
    maxConcurrency: 8,
    requestsPerSecond: 20,
    timeoutMs: 30_000,
  });
  const providers = [
    { provide: UpstreamConfig, useValue: config },
    { provide: Clock, useClass: SystemClock },
    { provide: Log, useValue: new Log({ level: 'error', destination: { write: () => undefined } }) },
    Metrics,
    NetworkGate,
  ];
  @Global()
  @Module({ providers, exports: providers })
  class Surroundings {}
  return Surroundings;
}

describe('UpstreamModule', () => {
  it('gives a client that works with the defaults, and lets its connections go at shutdown', async () => {
    const server = await ScriptedServer.start();
    server.answer(json(200, { user_id: userId, client_user_id: 'cust-42' }));
    const module = await Test.createTestingModule({ imports: [surroundings(server.url), UpstreamModule] }).compile();
    const client = module.get(UpstreamClient);
    await expect(client.findUser(userId, { priority: 'interactive' })).resolves.toMatchObject({ user_id: userId });
    await module.close();
    await server.closedByPeers();
    await server.close();
  });

  it('really waits between tries', async () => {
    const server = await ScriptedServer.start();
    server.answer(json(503, { detail: 'busy' }), json(200, { user_id: userId, client_user_id: 'cust-42' }));
    const module = await Test.createTestingModule({ imports: [surroundings(server.url), UpstreamModule] }).compile();
    const user = module.get(UpstreamClient).findUser(userId, { priority: 'bulk' });
    await expect(user).resolves.toMatchObject({ user_id: userId });
    expect(server.received).toHaveLength(2);
    await module.close();
    await server.close();
  });
});
