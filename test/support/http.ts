import supertest from 'supertest';

/** Fields that tests read, if the route returns them. */
export interface AnswerBody {
  [field: string]: unknown;
  account_id: string;
  user_id: string;
  code: string;
  detail: string;
  errors: { field: string; message: string }[];
  data: { account_id: string }[];
  next_cursor: string | null;
  sign_in_token: string;
  link_token: string;
  link_web_url: string;
  link_attempt_id: string;
}

/** The response to a call. JSON is parsed; anything else is text. */
export interface Answer<T = AnswerBody> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T;
}

export interface Call {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, anything else unchanged. */
  readonly body?: unknown;
}

/** Makes one call to the server at an address. */
export async function callTo<T>(url: string, { method, path, headers = {}, body }: Call): Promise<Answer<T>> {
  const request = supertest(url)
    [method.toLowerCase() as 'get'](path)
    .set(headers)
    .buffer(true)
    .serialize((given: unknown) => given as string)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => void chunks.push(Buffer.from(chunk as Uint8Array)));
      response.on('end', () => done(null, Buffer.concat(chunks).toString()));
    });
  const plain = typeof body === 'string' || Buffer.isBuffer(body);
  if (body !== undefined) void request.type(headers['content-type'] ?? 'application/json');
  const answer = await request.send(plain || body === undefined ? body : JSON.stringify(body));
  const text = answer.body as string;
  const json = /[/+]json\b/.test(answer.type) && text !== '';
  return {
    status: answer.status,
    headers: answer.headers,
    body: (json ? JSON.parse(text) : text) as T,
  };
}
