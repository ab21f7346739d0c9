import express from 'express';
import { Webhook } from 'standardwebhooks';

/**
 * The part of an app's backend that uses Pulsekeep.
 *
 * @param {object} options
 * @param {string} options.pulsekeep Address of Pulsekeep.
 * @param {string} options.key Key of the role `backend` (ADMIN_API_KEYS).
 * @param {string} options.secret Secret of the subscription, `whsec_...`.
 * @param {(request: express.Request) => string} options.userOf Your own sign-in: id of the signed-in user.
 * @param {(change: object) => Promise<void>} options.onChange Stores a change; do the work later.
 */
export function appBackend({ pulsekeep, key, secret, userOf, onChange }) {
  const app = express();
  const webhook = new Webhook(secret);
  // Keep these ids in your database, and store an id in the transaction that stores its change.
  const seen = new Set();

  async function call(method, path, body) {
    const response = await fetch(`${pulsekeep}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  // The app signs in to the SDK with this token. The account is made on first use.
  app.post('/health/sign-in-token', async (request, response) => {
    const { status, body } = await call(
      'POST',
      `/admin/v1/accounts/${encodeURIComponent(userOf(request))}/sign-in-token`,
      {},
    );
    response.status(status).json(body);
  });

  app.get('/health/today', async (request, response) => {
    const { status, body } = await call('GET', `/v1/accounts/${encodeURIComponent(userOf(request))}/today`);
    response.status(status).json(body);
  });

  // The signature is of the exact bytes, so nothing may parse the body before.
  app.post('/pulsekeep', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
    let push;
    try {
      push = webhook.verify(request.body, request.headers);
    } catch {
      response.status(400).end();
      return;
    }
    const id = request.get('webhook-id');
    if (!seen.has(id)) {
      await onChange(push);
      seen.add(id);
    }
    response.status(204).end();
  });

  return app;
}
