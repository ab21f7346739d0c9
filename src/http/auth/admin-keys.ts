import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AdminConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Actor } from './caller.js';

/** The operator keys, stored only as SHA-256. */
@Injectable()
export class AdminKeys {
  constructor(private readonly config: AdminConfig) {}

  /** Owner of the key; throws `unauthorized`. */
  identify(key: string): Actor {
    const found = this.find(key);
    if (!found) throw new AppError('unauthorized', 'The key is unknown.', { reason: 'unknown_key' });
    return found;
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
