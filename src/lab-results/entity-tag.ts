import type { FastifyReply } from 'fastify';

interface Tagged {
  readonly checksum: string;
  readonly version: number;
  readonly stale: boolean;
}

/**
 * The answer with its entity tag, or a 304 when the caller has this version already. Weak: the time of confirmation is
 * not part of it. What upstream did not confirm is always shown, or the caller would not learn of it.
 */
export function unlessKnown<T extends Tagged>(
  reply: FastifyReply,
  known: string | undefined,
  answer: T,
): T | undefined {
  const tag = `W/"${answer.version}-${answer.checksum}"`;
  void reply.header('etag', tag);
  const isKnown = (known ?? '').split(',').some((each) => each.trim() === tag);
  if (!isKnown || answer.stale) return answer;
  void reply.code(304);
  return undefined;
}
