import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import type { PushTestDto, SubscriptionDto } from '../../../src/changes/subscriptions/subscriptions.dto.js';
import { selfSigned } from '../../support/certificate.js';
import { adminCall, childEnvironment } from '../../support/child-env.js';
import { ChildPulsekeep } from '../../support/child-pulsekeep.js';
import { webhookSecret } from '../../support/environment.js';
import { listens } from '../../support/listens.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { TlsFront } from '../../support/tls-front.js';
import { until } from '../../support/until.js';
import { amqpPort, natsPort, TestNats, TestRabbit } from './support/test-brokers.js';

const certificate = selfSigned();

describe.each([
  { name: 'NATS', port: natsPort, greets: true, connect: () => TestNats.connect(), scheme: 'nats+tls:' },
  { name: 'RabbitMQ', port: amqpPort, greets: false, connect: () => TestRabbit.connect(), scheme: 'amqps:' },
])('a broker behind TLS: $name', ({ port, greets, connect, scheme }) => {
  // Without the broker or openssl on this machine there is nothing to connect to.
  const where = certificate !== null && listens(port) ? it : it.skip;

  where.each([
    ['is used if its certificate is trusted', true],
    ['is refused with a reason if its certificate is not', false],
  ])('%s', async (_, isTrusted) => {
    const folder = mkdtempSync(join(tmpdir(), 'trusted-'));
    const authority = join(folder, 'cert.pem');
    const { key, cert } = certificate ?? { key: '', cert: '' };
    writeFileSync(authority, cert);
    const broker = await connect();
    await broker.open();
    const front = await TlsFront.of(port, { key, cert }, greets);
    const sandbox: Sandbox = await startSandbox({ webhookSecret });
    const database: TestDatabase = await testDatabase();
    const service = await ChildPulsekeep.start(
      childEnvironment(database, sandbox.url, {
        ...{ PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789', PUSH_ALLOWED_NETWORKS: '127.0.0.1' },
        ...{ WEBHOOK_AMQP_URL: `amqps://localhost:${front.port}`, WEBHOOK_AMQP_QUEUE: 'no-such-queue' },
        ...(isTrusted && { NODE_EXTRA_CA_CERTS: authority }),
      }),
    );
    const url = broker.url(front.port).replace(/^\w+:/, scheme).replace('127.0.0.1', 'localhost');
    const made = await adminCall<SubscriptionDto>(service.url, 'POST', '/subscriptions', { url });
    const test = `/subscriptions/${made.subscription_id}/test`;
    const { delivered, error } = await adminCall<PushTestDto>(service.url, 'POST', test);
    expect([delivered, error]).toEqual(isTrusted ? [true, null] : [false, 'tls']);
    expect((await broker.stored()).map(({ route }) => route)).toEqual(isTrusted ? ['test'] : []);
    if (port === amqpPort) {
      // The queue of messages of upstream, behind the same certificate, is reached as well.
      const reason = isTrusted ? 'queue_missing' : 'certificate_refused';
      await until(async () => service.output.some((line) => line.includes(`"reason":"${reason}"`)));
    }
    await service.kill();
    await broker.close();
    await broker.end();
    await front.close();
    await sandbox.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });
});
