import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** What the access log says of a request whose caller left before the answer; nobody else ever sees it. */
const callerClosed = 499;

/** Nobody waits for the answer any more. */
class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/**
 * Answers with a PDF as it comes, as a file named by the id. Until its first byte has come an error is an answer like
 * any other; after that the connection is cut, so that half a file never looks whole: no length is announced. The stream
 * ends with its caller.
 */
export async function answerPdf(
  reply: FastifyReply,
  id: string,
  open: (gone: AbortSignal) => Promise<Readable>,
): Promise<void> {
  const caller = new AbortController();
  reply.raw.once('close', () => caller.abort(new CallerGone()));
  try {
    const pdf = await open(caller.signal);
    void reply
      .type('application/pdf')
      .headers({ 'content-disposition': `attachment; filename="${fileName(id)}.pdf"`, 'cache-control': 'no-store' })
      .send(pdf);
  } catch (error) {
    if (!caller.signal.aborted) throw error;
    void reply.code(callerClosed).send();
  }
}

/** Upstream's ids are uuids; nothing else of one could end the quoted name. */
function fileName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_');
}
