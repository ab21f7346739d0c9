import { TestApp, type TestAppOptions } from '../../../support/test-app.js';
import type { Marks } from './marks.js';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Where something must not be, and what was written there. */
interface Place {
  readonly where: string;
  readonly text: string;
}

/**
 * Remembers all that leaves a Pulsekeep without being asked for: its log, its metrics, what it prints, the headers of
 * every answer and the bodies of those that are errors.
 */
export class Watched {
  private readonly places: Place[] = [];
  private readonly printers: jest.SpyInstance[];
  private logsLookedAt = 0;

  private constructor(
    readonly app: TestApp,
    private readonly marks: readonly Marks[],
  ) {
    const streams = [process.stdout, process.stderr].map((stream) => jest.spyOn(stream, 'write'));
    const methods = ['log', 'info', 'warn', 'error', 'debug'] as const;
    this.printers = [...streams, ...methods.map((method) => jest.spyOn(console, method))];
  }

  static async create(marks: readonly Marks[], options: TestAppOptions = {}): Promise<Watched> {
    return new Watched(await TestApp.create(options), marks);
  }

  /** One request; answers its status. */
  async send({ method, path, headers = {}, body }: Sent): Promise<number> {
    const response = await fetch(`${this.app.url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const where = `${method} ${path.split('?')[0]?.slice(0, 60)} (${response.status})`;
    this.places.push({ where: `headers of ${where}`, text: JSON.stringify([...response.headers]) });
    if (response.status >= 400) this.places.push({ where: `body of ${where}`, text });
    return response.status;
  }

  /** Each mark that was found since the last time this was asked, and where. */
  async leaks(): Promise<string[]> {
    const metrics = await (await fetch(`${this.app.url}/metrics`)).text();
    const logged = this.app.logs.slice(this.logsLookedAt);
    this.logsLookedAt = this.app.logs.length;
    const printed = this.printers.flatMap((printer) => printer.mock.calls.map((call) => String(call[0])));
    const places = [
      ...this.places.splice(0),
      ...logged.map((text) => ({ where: `log ${eventOf(text)}`, text })),
      { where: 'metrics', text: metrics },
      { where: 'printed', text: printed.join('\n') },
    ];
    return [...new Set(places.flatMap((place) => this.foundIn(place)))];
  }

  private foundIn({ where, text }: Place): string[] {
    return this.marks.flatMap((marks) => marks.in(text)).map((kind) => `${kind} in ${where}`);
  }

  /** Lines of the log since the last look for leaks, by event. */
  logged(): string[] {
    return this.app.logs.slice(this.logsLookedAt).map(eventOf);
  }

  async close(): Promise<void> {
    for (const printer of this.printers) printer.mockRestore();
    await this.app.close();
  }
}

function eventOf(line: string): string {
  return (JSON.parse(line) as { event: string }).event;
}
