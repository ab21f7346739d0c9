import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import type { CallOptions, Download } from '../../../src/upstream/transport/call.js';
import { stopTimers } from '../../support/stop-timers.js';
import { type ClientUnderTest, clientFor, errorOf } from './support/client.js';
import { type Answer, json, ScriptedServer, text } from './support/scripted-server.js';

const id = '00000000-0000-4000-8000-0000000000bb';
const person = { priority: 'interactive' } as const;
const megabyte = Buffer.alloc(1024 * 1024, 'x');

function pdf(headers: Record<string, string>, send: (response: Parameters<Answer>[0]) => void | Promise<void>): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', ...headers });
    return send(response);
  };
}

type Open = (client: UpstreamClient, options: CallOptions) => Promise<Download>;

const pdfs: [name: string, path: string, open: Open][] = [
  ['a transaction', `/v3/order_transaction/${id}/result/pdf`, (client, o) => client.transactionResultPdf(id, o)],
  ['an order', `/v3/order/${id}/result/pdf`, (client, o) => client.orderResultPdf(id, o)],
  [
    'a requisition',
    `/v3/order/${id}/requisition/pdf`,
    (client, o) => client.orderDocumentPdf({ document: 'requisition', orderId: id }, o),
  ],
  [
    'labels',
    `/v3/order/${id}/labels/pdf?number_of_labels=2&collection_date=2026-11-20`,
    (client, o) =>
      client.orderDocumentPdf(
        { document: 'labels', orderId: id, number_of_labels: 2, collection_date: '2026-11-20' },
        o,
      ),
  ],
  [
    'collection instructions',
    `/v3/order/${id}/collection_instruction_pdf`,
    (client, o) => client.orderDocumentPdf({ document: 'collection_instructions', orderId: id }, o),
  ],
  [
    'an advance beneficiary notice',
    `/v3/order/${id}/abn_pdf`,
    (client, o) => client.orderDocumentPdf({ document: 'abn', orderId: id }, o),
  ],
  [
    'the instructions of a lab test',
    `/v3/lab_test/${id}/collection_instruction_pdf`,
    (client, o) => client.labTestInstructionsPdf(id, o),
  ],
];

describe.each(pdfs)('the PDF of %s', (_name, path, openBy) => {
  let server: ScriptedServer;
  let underTest: ClientUnderTest;
  const open = (options: CallOptions = person): Promise<Download> => openBy(underTest.client, options);

  beforeEach(async () => {
    server = await ScriptedServer.start();
    underTest = clientFor(server.url, { maxConcurrency: 1 });
  });
  afterEach(async () => {
    underTest.transport.onApplicationShutdown();
    await server.close();
  });

  it('arrives byte for byte, with its length, and is requested uncompressed', async () => {
    const bytes = Buffer.from('%PDF-1.4 synthetic \u0000 end');
    server.answer(pdf({ 'content-length': String(bytes.length) }, (response) => void response.end(bytes)));
    const { stream, contentLength } = await open();
    expect(contentLength).toBe(bytes.length);
    expect(await buffer(stream)).toEqual(bytes);
    expect(server.last.url).toBe(path);
    expect(server.last.headers).toMatchObject({
      accept: 'application/pdf, application/json',
      'accept-encoding': 'identity',
    });
  });

  it('is not buffered: upstream has to wait for the reader', async () => {
    const total = 64;
    let sent = 0;
    let blocked: () => void = () => undefined;
    const upstreamWaits = new Promise<void>((resolve) => (blocked = resolve));
    server.answer(
      pdf({}, async (response) => {
        for (; sent < total; sent++) {
          if (response.write(megabyte)) continue;
          blocked();
          await once(response, 'drain');
        }
        response.end();
      }),
    );
    const { stream } = await open();
    await upstreamWaits;
    expect(stream.readableLength).toBeLessThan(megabyte.length);
    expect(sent).toBeLessThan(total);
    let length = 0;
    for await (const chunk of stream) length += (chunk as Buffer).length;
    expect(length).toBe(total * megabyte.length);
  });

  it('frees its slot of the budget with the headers', async () => {
    server.answer(
      pdf({}, (response) => void response.write('%PDF')),
      json(404, { detail: 'none' }),
    );
    const { stream } = await open();
    await expect(underTest.client.resolveUser('a', person)).resolves.toBeNull();
    stream.destroy();
  });

  it('ends with an error, not as a complete file, if the connection breaks', async () => {
    server.answer(
      pdf({ 'content-length': '1000' }, (response) => {
        response.write('%PDF');
        setImmediate(() => response.destroy());
      }),
    );
    const { stream } = await open();
    expect(await errorOf(buffer(stream))).toMatchObject({ kind: 'unavailable', reason: 'network' });
  });

  it('ends with an error if upstream stalls', async () => {
    server.answer(pdf({}, (response) => void response.write('%PDF')));
    stopTimers();
    const { stream } = await open();
    const read = errorOf(buffer(stream));
    jest.advanceTimersByTime(60_000);
    expect(await read).toMatchObject({ kind: 'unavailable', reason: 'timeout' });
    jest.useRealTimers();
  });

  it('ends with the reason of the caller, and closes the connection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    server.answer(
      pdf({}, (response) => {
        closed = once(response, 'close');
        response.write('%PDF');
      }),
    );
    const caller = new AbortController();
    const { stream } = await open({ ...person, signal: caller.signal });
    const read = expect(buffer(stream)).rejects.toThrow('reader left');
    caller.abort(new Error('reader left'));
    await read;
    await closed;
  });

  it('closes the connection if the reader destroys the stream', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    server.answer(
      pdf({}, (response) => {
        closed = once(response, 'close');
        response.write('%PDF');
      }),
    );
    const { stream } = await open();
    stream.destroy();
    await closed;
  });

  it('recognises a JSON refusal', async () => {
    server.answer(json(404, { detail: 'no results yet' }));
    const error = await errorOf(open());
    expect(error).toMatchObject({ kind: 'rejected', status: 404, detail: { shape: 'text' } });
  });

  it('is repeated like any read until its headers arrive', async () => {
    server.answer(
      text(500, 'x'),
      pdf({}, (response) => void response.end('%PDF')),
    );
    const { stream } = await open({ ...person, deadlineMs: 10_000 });
    expect((await buffer(stream)).toString()).toBe('%PDF');
  });

  it.each([
    ['JSON', json(200, { detail: 'x' })],
    ['packed', pdf({ 'content-encoding': 'gzip' }, (response) => void response.end('x'))],
  ])('is refused if a success is %s', async (_, answer) => {
    server.answer(answer);
    const error = await errorOf(open());
    expect(error).toMatchObject({ kind: 'contract', reason: 'not_pdf' });
  });
});
