/*
 * A service that keeps a copy of accounts, steps, nights and orders by following the change feed (docs/changes.md).
 * Whatever it applies and the cursor behind it are one transaction of its own database, so that it may be killed at any
 * time.
 */

const kinds = ['account', 'samples', 'summary', 'order', 'erasure'];

const schema = `
  CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS accounts (ref INTEGER PRIMARY KEY, account_id TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS steps (ref INTEGER NOT NULL, series TEXT NOT NULL, time TEXT NOT NULL, day TEXT NOT NULL,
    value REAL NOT NULL);
  CREATE INDEX IF NOT EXISTS steps_series ON steps (series, time);
  CREATE TABLE IF NOT EXISTS nights (ref INTEGER NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (ref, id));
  CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, ref INTEGER NOT NULL, data TEXT NOT NULL);
`;

export class Mirror {
  /** `url` of Pulsekeep, `key` with the role feed+values, `db` an open database of better-sqlite3. */
  constructor({ url, key, db }) {
    this.url = url;
    this.headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    this.db = db;
    this.db.exec(schema);
  }

  /** Follows until the signal aborts; waits a second after an error. */
  async run(signal) {
    while (!signal.aborted) {
      await this.step(30).catch(async (error) => {
        console.error(error.message);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      });
    }
  }

  /** Applies one page, or starts over; true if there is nothing more to apply now. */
  async step(wait = 0) {
    const after = this.db.prepare('SELECT cursor FROM place').get()?.cursor;
    if (after === undefined) return this.startOver();
    const query = new URLSearchParams({ after, wait: String(wait), kinds: kinds.join(','), limit: '100' });
    const response = await fetch(`${this.url}/v1/changes?${query}`, { headers: this.headers });
    if (response.status === 410) return this.startOver();
    if (!response.ok) throw new Error(`The feed answered ${response.status}.`);
    const { data, next, up_to_date } = await response.json();
    const large = new Map();
    for (const { kind, resource, data: state, account_id, account_ref } of data) {
      const isLarge = kind === 'samples' && resource === 'steps' && state?.samples === null;
      if (isLarge && !large.has(account_ref)) {
        large.set(account_ref, await this.snapshot({ kinds: ['samples'], account_id }));
      }
    }
    this.db.transaction(() => {
      for (const change of data) this.apply(change);
      for (const [ref, { lines }] of large) {
        this.db.prepare('DELETE FROM steps WHERE ref = ?').run(ref);
        for (const line of lines) this.apply({ ...line, samples: line.data });
      }
      this.stand(next);
    })();
    return up_to_date;
  }

  /** Replaces the copy with the present state. */
  async startOver() {
    const { position, lines } = await this.snapshot({ kinds });
    this.db.transaction(() => {
      for (const table of ['accounts', 'steps', 'nights', 'orders']) this.db.prepare(`DELETE FROM ${table}`).run();
      for (const line of lines) this.apply({ ...line, samples: line.data });
      this.stand(position);
    })();
    return false;
  }

  async snapshot(body) {
    const request = { method: 'POST', headers: this.headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.url}/v1/snapshots`, request);
    if (!response.ok) throw new Error(`The snapshot answered ${response.status}.`);
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    if (lines.at(-1)?.type !== 'end') throw new Error('The snapshot is incomplete.');
    return { position: lines[0].position, lines: lines.slice(1, -1) };
  }

  /** One change, or one line of a snapshot. */
  apply({ kind, account_ref: ref, account_id, subject, resource, samples, data }) {
    if (kind === 'erasure') {
      for (const table of ['accounts', 'steps', 'nights', 'orders']) {
        this.db.prepare(`DELETE FROM ${table} WHERE ref = ?`).run(ref);
      }
    } else if (kind === 'account') {
      if (data) this.db.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?)').run(ref, account_id);
    } else if (kind === 'samples' && resource === 'steps') {
      if (!data?.samples) return;
      const { start, end } = samples;
      this.db.prepare('DELETE FROM steps WHERE series = ? AND time >= ? AND time <= ?').run(subject, start, end);
      const insert = this.db.prepare('INSERT INTO steps VALUES (?, ?, ?, ?, ?)');
      for (const sample of data.samples) insert.run(ref, subject, sample.time, dayOf(sample), sample.value);
    } else if (kind === 'summary' && resource === 'sleep') {
      if (!data) this.db.prepare('DELETE FROM nights WHERE ref = ? AND id = ?').run(ref, subject);
      else
        this.db.prepare('INSERT OR REPLACE INTO nights VALUES (?, ?, ?)').run(ref, subject, JSON.stringify(data.data));
    } else if (kind === 'order') {
      if (!data) this.db.prepare('DELETE FROM orders WHERE id = ?').run(subject);
      else this.db.prepare('INSERT OR REPLACE INTO orders VALUES (?, ?, ?)').run(subject, ref, JSON.stringify(data));
    }
  }

  /** Steps by account, series and local day. */
  dailySteps() {
    return this.db
      .prepare('SELECT ref, series, day, SUM(value) AS steps FROM steps GROUP BY ref, series, day ORDER BY series, day')
      .all();
  }

  stand(cursor) {
    this.db
      .prepare('INSERT INTO place VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor')
      .run(cursor);
  }

  close() {
    this.db.close();
  }
}

function dayOf({ time, timezone_offset: seconds = 0 }) {
  return new Date(Date.parse(time) + seconds * 1_000).toISOString().slice(0, 10);
}
