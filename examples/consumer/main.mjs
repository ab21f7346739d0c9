import { Mirror } from './mirror.mjs';

// On Node 20 this repository has an older version of the driver, under another name.
const { default: Database } = await import(
  Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-node-20'
);

const { PULSEKEEP_URL: url, PULSEKEEP_KEY: key, MIRROR_PATH: path = './mirror.sqlite' } = process.env;
if (!url || !key) throw new Error('PULSEKEEP_URL and PULSEKEEP_KEY (role feed+values) are needed.');

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());
const mirror = new Mirror({ url, key, db: new Database(path) });
await mirror.run(stopping.signal);
mirror.close();
