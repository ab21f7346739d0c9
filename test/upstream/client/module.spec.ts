import { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { TransportTuning } from '../../../src/upstream/transport/transport-tuning.js';
import { TestApp } from '../../support/test-app.js';
import { json, ScriptedServer } from './support/scripted-server.js';

const user_id = '00000000-0000-4000-8000-000000000001';

describe('the client of the application', () => {
  let server: ScriptedServer;
  let app: TestApp;

  beforeEach(async () => {
    server = await ScriptedServer.start();
    const { sleep } = new TransportTuning();
    app = await TestApp.create({ upstream: server, tuning: { sleep } });
  });

  afterEach(async () => {
    await app.close();
    await server.close();
  });

  it('works with the defaults, and closes its connections at shutdown', async () => {
    server.answer(json(200, { user_id, client_user_id: 'cust-42' }));
    const user = app.get(UpstreamClient).findUser(user_id, { priority: 'interactive' });
    await expect(user).resolves.toMatchObject({ user_id });
    await app.pulsekeep.stop();
    await server.closedByPeers();
  });

  it('really waits between attempts', async () => {
    server.answer(json(503, { detail: 'busy' }), json(200, { user_id, client_user_id: 'cust-42' }));
    const user = app.get(UpstreamClient).findUser(user_id, { priority: 'bulk' });
    await expect(user).resolves.toMatchObject({ user_id });
    expect(server.received).toHaveLength(2);
  });
});
