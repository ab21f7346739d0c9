import Database from 'better-sqlite3';
import { Mirror } from './mirror.mjs';

const { PULSEKEEP_URL: url, PULSEKEEP_KEY: key, MIRROR_PATH: path = './mirror.sqlite' } = process.env;
if (!url || !key) throw new Error('PULSEKEEP_URL and PULSEKEEP_KEY (role feed+values) are needed.');

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());
const mirror = new Mirror({ url, key, db: new Database(path) });
await mirror.run(stopping.signal);
mirror.close();
