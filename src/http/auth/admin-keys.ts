import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AdminConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Actor } from './caller.js';

/** The operators' keys, known by their SHA-256 alone. */
@Injectable()
export class AdminKeys {
  constructor(private readonly config: AdminConfig) {}

  /** Who holds the key; throws `unauthorized`. Takes the same time whichever key it is, and if it is none. */
  identify(key: string): Actor {
    const digest = hash('sha256', key, 'buffer');
    let found: Actor | undefined;
    for (const { name, role, sha256, feed } of this.config.keys.current) {
      if (timingSafeEqual(digest, sha256)) found = role === 'feed' ? { name, role, feed } : { name, role };
    }
    if (!found) throw new AppError('unauthorized', 'The key is unknown.', { reason: 'unknown_key' });
    return found;
  }
}
