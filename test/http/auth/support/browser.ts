import { type Answer, type AnswerBody, callTo } from '../../../support/http.js';

/** A browser with one jar for all tabs. Addresses may be relative to `home`; `headers` are sent with every request. */
export class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  constructor(
    private readonly home: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** The cookies of an origin. */
  jar(at = this.home): Map<string, string> {
    const { origin } = new URL(at);
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    return jar;
  }

  /** Follows redirects; returns the last answer and where it came from. */
  async open(to: string): Promise<{ answer: Answer; url: URL }> {
    let at = new URL(to, this.home);
    for (let hop = 0; hop < 12; hop++) {
      const answer = await this.get(at.href);
      const { location } = answer.headers;
      if (location === undefined) return { answer, url: at };
      at = new URL(location, at);
      // The console is not built here; its address is the end of the way.
      if (at.pathname === '/console') return { answer, url: at };
    }
    throw new Error('There are too many redirects.');
  }

  /** Where an address leads, or the status if nowhere. */
  async go(to: string): Promise<string> {
    const { headers, status } = await this.get(to);
    return String(headers['location'] ?? status);
  }

  async get(to: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const url = new URL(to, this.home);
    const jar = this.jar(url.href);
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const path = `${url.pathname}${url.search}`;
    const headers = { ...this.headers, ...more, cookie };
    const answer = await callTo<AnswerBody>(url.origin, { method: 'GET', path, headers });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(String(line)) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /** Of the session at the console; undefined if there is none. */
  async role(): Promise<unknown> {
    const { body } = await this.get('/admin/v1/sessions/current', { 'x-pulsekeep-console': '1' });
    return body['role'];
  }
}
