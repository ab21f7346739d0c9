import { answerName, type BodyExamples, type OperationExamples } from '../../../src/app/openapi/body-examples.js';
import type { TestApp } from '../../support/test-app.js';
import { Stable } from './stable.js';

export interface Sent {
  /** For the parameters of the path, in their order. */
  readonly path?: readonly (string | number)[];
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Shown in place of a body that is no JSON. */
  readonly shown?: unknown;
}

/** Lines of a text that are shown. */
const LINES = 3;

/** Calls the service and keeps what was sent and answered: of each kind of answer the first. */
export class Recorder {
  private readonly recorded: Record<string, { sent?: unknown; answered: Record<string, unknown> }> = {};
  private readonly stable = new Stable();

  constructor(private readonly app: TestApp) {}

  get examples(): BodyExamples {
    return this.recorded satisfies Record<string, OperationExamples>;
  }

  /** `operation` as in the document, `GET /a/{b}`; `authorization` as in the header. Fails on an error response. */
  async call<T>(operation: string, authorization: string | null, sent: Sent = {}): Promise<T> {
    const [method = '', template = ''] = operation.split(' ');
    const values = [...(sent.path ?? [])];
    const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(String(values.shift())));
    const query = new URLSearchParams(
      Object.entries(sent.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const headers = {
      'x-request-id': 'b1946ac9-2f4c-4c3e',
      ...(authorization === null ? {} : { authorization }),
      ...sent.headers,
    };
    const address = query.size > 0 ? `${path}?${query.toString()}` : path;
    const { status, headers: answered, body } = await this.app.call<T>(method, address, headers, sent.body);
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    this.keep(
      operation,
      sent.shown ?? sent.body,
      answerName(status, String(answered['content-type']).split(';')[0] ?? ''),
      body,
    );
    return body;
  }

  private keep(operation: string, sent: unknown, answer: string, body: unknown): void {
    const kept = (this.recorded[operation] ??= { answered: {} });
    const request = typeof sent === 'string' ? (JSON.parse(sent) as unknown) : sent;
    if (request !== undefined) kept.sent ??= this.stable.of(request, `${operation} sent`);
    if (body === '' || answer.endsWith('application/pdf')) return;
    kept.answered[answer] ??= this.stable.of(typeof body === 'string' ? firstLines(body) : body, operation);
  }
}

/** Of metrics the first that has one value; of lines of data the first few. */
function firstLines(text: string): string {
  const [metric] = /^# HELP (\S+) .*\n# TYPE .*\n\1.*\n(?=#)/m.exec(text) ?? [];
  return metric ?? text.split(/(?<=\n)/, LINES).join('');
}
