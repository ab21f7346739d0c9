import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Credentials } from '../../http/auth/credentials.js';
import { type Access, admits } from '../../platform/config/admin-roles.js';
import { type ChangeKind, type FeedScope, thinScope } from '../../platform/config/feed-scope.js';
import { AppError } from '../../platform/platform/errors.js';

/** Keys that may read the feed. */
const access: Access = { needed: 'viewer', beside: 'feed' };

/** Determines which changes the caller may read now: its key may be revoked during a streamed response. */
@Injectable()
export class FeedAccess {
  constructor(private readonly credentials: Credentials) {}

  /**
   * The scope of the caller, limited to `kinds` if given. Call it for every page. Throws `unauthorized`, and
   * `forbidden` for a kind outside the scope.
   */
  async scopeOf(request: FastifyRequest, kinds: readonly ChangeKind[] | undefined): Promise<FeedScope> {
    const { role, feed = thinScope } = await this.credentials.presentActorOf(request);
    const isForeign = kinds?.some((kind) => !feed.kinds.includes(kind)) ?? false;
    if (!admits(access, role) || isForeign) {
      throw new AppError('forbidden', 'This key may not read all requested kinds.');
    }
    return kinds === undefined ? feed : { ...feed, kinds };
  }
}
