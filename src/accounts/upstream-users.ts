import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../config/config.js';
import { AppError } from '../platform/errors.js';
import { type CallOptions, UpstreamClient } from '../upstream/upstream.client.js';
import type { WireUser } from '../upstream/wire-users.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import type { UserSettings } from './accounts.repository.js';

/** Upstream's side of an account. Throws `UpstreamError`, and `AppError` for the refusals that mean something here. */
@Injectable()
export class UpstreamUsers {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly config: UpstreamConfig,
  ) {}

  /**
   * Creates the user, or finds the one that has this account id; may be repeated after any failure. Settings go only
   * into a user that is created. Throws `upstream_user_limit` in the sandbox environment when it is full.
   */
  async createOrFind(
    accountId: string,
    settings: Partial<UserSettings>,
    options: CallOptions,
  ): Promise<{ user: WireUser; created: boolean }> {
    const creation = await this.create(accountId, settings, options);
    if (creation.outcome === 'created') return { user: creation.user, created: true };
    const user = await this.upstream.findUser(creation.user_id, options);
    if (user === null) throw new AppError('conflict', 'Upstream holds this account id for a user it does not show.');
    if (user.client_user_id !== accountId) {
      throw new AppError('conflict', 'Upstream names a user of another account as the holder of this account id.');
    }
    return { user, created: false };
  }

  /** Null when upstream does not know the user. */
  find(userId: string, options: CallOptions): Promise<WireUser | null> {
    return this.upstream.findUser(userId, options);
  }

  patch(userId: string, settings: Partial<UserSettings>, options: CallOptions): Promise<void> {
    return this.upstream.patchUser(userId, settings, options);
  }

  private async create(
    accountId: string,
    settings: Partial<UserSettings>,
    options: CallOptions,
  ): ReturnType<UpstreamClient['createUser']> {
    try {
      return await this.upstream.createUser({ client_user_id: accountId, ...settings }, options);
    } catch (error) {
      if (!this.isUserLimit(error)) throw error;
      const message = 'The sandbox environment of upstream is full: it holds 50 live users. Delete users there first.';
      throw new AppError('upstream_user_limit', message, { cause: error });
    }
  }

  /**
   * The 400 of the conflict without a user in it; only the sandbox environment has a limit
   * (docs/upstream/environments.md#user-limit).
   */
  private isUserLimit(error: unknown): boolean {
    if (!(error instanceof UpstreamError) || this.config.environment !== 'sandbox') return false;
    return error.status === 400 && error.detail?.shape === 'typed';
  }
}

/** The part of a wire user that is stored with the account. */
export function settingsOf(user: WireUser): UserSettings {
  return {
    fallback_time_zone: user.fallback_time_zone?.id ?? null,
    fallback_birth_date: user.fallback_birth_date?.value ?? null,
    ingestion_start: user.ingestion_start,
    ingestion_end: user.ingestion_end,
  };
}
