import { type Answer, callTo } from '../../../support/http.js';

/** Cookies of a browser, by origin. */
export class Browser {
  private readonly jar = new Map<string, Map<string, string>>();

  /** Follows redirects; returns the last answer and where it came from. */
  async open(url: string): Promise<{ answer: Answer<string>; url: URL }> {
    let at = new URL(url);
    for (let hop = 0; hop < 12; hop++) {
      const answer = await this.get(at);
      const { location } = answer.headers;
      if (location === undefined) return { answer, url: at };
      at = new URL(location, at);
      // The console is not built here; its address is the end of the way.
      if (at.pathname === '/console') return { answer, url: at };
    }
    throw new Error('There are too many redirects.');
  }

  async get(url: URL, headers: Record<string, string> = {}): Promise<Answer<string>> {
    const held = this.jar.get(url.origin) ?? new Map<string, string>();
    this.jar.set(url.origin, held);
    const cookie = [...held].map(([name, value]) => `${name}=${value}`).join('; ');
    const path = `${url.pathname}${url.search}`;
    const answer = await callTo<string>(url.origin, { method: 'GET', path, headers: { ...headers, cookie } });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = String(line).split(';');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      if (value === '') held.delete(name);
      else held.set(name, value);
    }
    return answer;
  }

  held(url: string, name: string): string | undefined {
    return this.jar.get(new URL(url).origin)?.get(name);
  }
}
