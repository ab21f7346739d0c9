import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AdminConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { type Actor, looksLikeToken } from './caller.js';

/** The operator keys, stored only as SHA-256. */
@Injectable()
export class AdminKeys {
  constructor(private readonly config: AdminConfig) {}

  /** Owner of the key; throws `unauthorized`. */
  identify(key: string): Actor {
    const found = this.find(key);
    if (found) return found;
    const detail = looksLikeToken(key)
      ? "This route takes a key of ADMIN_API_KEYS, not an app's access token."
      : 'This key is not in ADMIN_API_KEYS.';
    throw new AppError('unauthorized', detail, { reason: 'unknown_key' });
  }

  /** Owner of the key; undefined if it is unknown. Takes the same time for every key, including unknown ones. */
  find(key: string): Actor | undefined {
    const digest = hash('sha256', key, 'buffer');
    let found: Actor | undefined;
    for (const { name, role, sha256, feed } of this.config.keys.current) {
      if (timingSafeEqual(digest, sha256)) found = role === 'feed' ? { name, role, feed } : { name, role };
    }
    return found;
  }
}
