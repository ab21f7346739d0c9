/*
 * nginx in front, as most guides set it up: TLS, HTTP/1.0 to the service, buffering, gzip, a read limit.
 *
 *   npm run build && node test/places/nginx.mjs
 *
 * Needs Debian's nginx-light and openssl. Ends with 0 if the stream of changes arrives at once and outlives the read
 * limit, a reconnect with Last-Event-ID misses and doubles nothing, and a long poll and the console answer.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import zlib from 'node:zlib';
import {
  addAccount,
  addressOf,
  folder,
  freePort,
  initialise,
  place,
  psql,
  serve,
  start,
  startService,
  until,
} from './support.mjs';

const READ_LIMIT_S = 20;
const host = 'pulse.example.com';

/** Writes certificate, key and configuration, and starts nginx on `port`. */
function startNginx(port, target) {
  const at = (name) => join(folder(), name);
  const options = [
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${host}`,
    '-addext',
    `subjectAltName=DNS:${host}`,
  ];
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', at('key.pem'), '-out', at('cert.pem')], {
    stdio: 'pipe',
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    at('nginx.conf'),
    `daemon off; user root; pid ${at('pid')}; error_log ${at('error.log')}; worker_processes 1; events {}
http {
  access_log off; gzip on; gzip_types *; gzip_proxied any;
  ${temporary.map((name) => `${name}_temp_path ${at(name)};`).join(' ')}
  server {
    listen 127.0.0.1:${port} ssl; server_name ${host};
    ssl_certificate ${at('cert.pem')}; ssl_certificate_key ${at('key.pem')};
    location / {
      proxy_pass ${target}; proxy_read_timeout ${READ_LIMIT_S}s;
      proxy_set_header Host $host; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`,
  );
  start('nginx', ['-c', at('nginx.conf'), '-p', folder()]);
  return new https.Agent({ ca: readFileSync(at('cert.pem')), servername: host, keepAlive: true });
}

await place(async () => {
  const [databasePort, port] = [await freePort(), await freePort()];
  initialise('server');
  await serve('server', databasePort);
  psql(databasePort, 'CREATE DATABASE p', 'postgres');
  const service = await startService(addressOf(databasePort), {
    TRUSTED_PROXIES: '127.0.0.1',
    PUBLIC_URL: `https://${host}`,
  });
  const agent = startNginx(port, service.url);
  addAccount(databasePort, 'anna');
  let blocked = false;
  const change = async () => {
    blocked = !blocked;
    await service.call('POST', `/admin/v1/accounts/anna/${blocked ? 'block' : 'unblock'}`);
  };
  const get = (path, headers = {}) =>
    new Promise((resolve, reject) => {
      const all = { host, authorization: 'Bearer key', ...headers };
      https.get({ host: '127.0.0.1', port, path, agent, headers: all }, resolve).on('error', reject);
    });
  const text = async (path) => {
    const response = await get(path);
    let body = '';
    for await (const chunk of response) body += chunk;
    return { status: response.statusCode, body };
  };
  const events = [];
  let hasEnded = false;
  const follow = async (after) => {
    hasEnded = false;
    const response = await get('/v1/changes', {
      accept: 'text/event-stream',
      'accept-encoding': 'gzip',
      ...(after && { 'last-event-id': after }),
    });
    const gunzip = zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH });
    const body = response.headers['content-encoding'] === 'gzip' ? response.pipe(gunzip) : response;
    let rest = '';
    body.on('error', () => undefined);
    response.on('close', () => (hasEnded = true));
    body.on('data', (chunk) => {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop();
      for (const block of blocks.filter((block) => /^event: change$/m.test(block))) {
        events.push({ at: Date.now(), id: /^id: (.*)$/m.exec(block)[1] });
      }
    });
    return response;
  };

  await until('nginx answers', async () => (await text('/livez')).status === 200);
  const first = await follow();
  const sent = Date.now();
  await change();
  await until('the first event', () => events.length > 0, 10);
  const firstEventMs = events[0].at - sent;
  await pause((READ_LIMIT_S + 5) * 1_000);
  const outlives = !hasEnded;
  first.destroy();
  const seen = events.length;
  await change();
  await change();
  await follow(events.at(-1).id);
  await until('what happened between', () => events.length >= seen + 2, 10);
  const twice = events.length - new Set(events.map(({ id }) => id)).size;
  const poll = await text(`/v1/changes?after=${encodeURIComponent(events.at(-1).id)}&wait=2`);
  const page = await text('/console');
  const figures = { firstEventMs, outlives, events: events.length, twice, longPoll: poll.status, console: page.status };
  if (firstEventMs > 2_000 || !outlives || twice > 0 || poll.status !== 200 || page.status !== 200) {
    throw new Error(JSON.stringify(figures));
  }
  return figures;
});
