import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { codeOrOther } from '../../platform/platform/json-reader.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import { inputRefusal, refusesInput, sameNames } from '../../upstream/client/input-refusal.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { type KeptOfUser, settingColumns, type UserSettings } from './account.entity.js';

/** The users of accounts at upstream. Throws `UpstreamError`, and `AppError` for refusals that have their own code. */
@Injectable()
export class UpstreamUsers {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly config: UpstreamConfig,
  ) {}

  /**
   * Creates the user, or finds the one with this name (pseudonyms.ts). May be repeated after any failure. Uses the
   * settings only for a new user. Throws `upstream_user_limit` if upstream's sandbox environment is full, and
   * `upstream_invalid_request` with the fields that upstream refuses.
   */
  async createOrFind(
    name: string,
    settings: Partial<UserSettings>,
    options: CallOptions,
  ): Promise<{ user: WireUser; created: boolean }> {
    const creation = await this.create(name, settings, options);
    if (creation.outcome === 'created') return { user: creation.user, created: true };
    const user = await this.upstream.findUser(creation.user_id, options);
    if (user === null) {
      throw new AppError('conflict', 'Upstream reports this account id as taken but does not return its user.');
    }
    if (user.client_user_id !== name) {
      throw new AppError('conflict', 'Upstream has assigned this account id to the user of another account.');
    }
    return { user, created: false };
  }

  /** Null if upstream does not have the user. */
  find(userId: string, options: CallOptions): Promise<WireUser | null> {
    return this.upstream.findUser(userId, options);
  }

  /** False if upstream responds that it did not delete the user. */
  delete(userId: string, options: CallOptions): Promise<boolean> {
    return this.upstream.deleteUser(userId, options);
  }

  /** Changes upstream's `client_user_id` of the user. */
  rename(userId: string, name: string, options: CallOptions): Promise<void> {
    return this.upstream.patchUser(userId, { client_user_id: name }, options);
  }

  /** Throws `upstream_invalid_request` with the fields that upstream refuses. */
  async patch(userId: string, settings: Partial<UserSettings>, options: CallOptions): Promise<void> {
    await this.upstream.patchUser(userId, settings, options).catch(rejectInput);
  }

  private async create(
    name: string,
    settings: Partial<UserSettings>,
    options: CallOptions,
  ): ReturnType<UpstreamClient['createUser']> {
    try {
      return await this.upstream.createUser({ client_user_id: name, ...settings }, options);
    } catch (error) {
      if (!this.isUserLimit(error)) return rejectInput(error);
      const message = "Upstream's sandbox has reached its limit of 50 users. Delete users there first.";
      throw new AppError('upstream_user_limit', message, { cause: error });
    }
  }

  /**
   * True for the 400 of a conflict that contains no user. Only the sandbox environment has a limit
   * (docs/upstream/environments.md#user-limit).
   */
  private isUserLimit(error: unknown): boolean {
    if (!(error instanceof UpstreamError) || this.config.environment !== 'sandbox') return false;
    return error.status === 400 && error.detail?.shape === 'typed';
  }
}

const sent = { ...sameNames(settingColumns.join(' ')), client_user_id: 'account_id' };

function rejectInput(error: unknown): never {
  if (!(error instanceof UpstreamError && refusesInput(error))) throw error;
  throw inputRefusal(error, sent, 'Upstream does not accept these values for its user.');
}

/** The part of a wire user that is stored with the account. */
export function keptOf(user: WireUser): KeptOfUser {
  const { fallback_time_zone: zone, fallback_birth_date: birth } = user;
  return {
    fallback_time_zone: zone?.id ?? null,
    fallback_birth_date: birth?.value ?? null,
    ingestion_start: user.ingestion_start,
    ingestion_end: user.ingestion_end,
    user_created_at: parseUtcInstant(user.created_on),
    fallback_time_zone_source: codeOrOther(zone?.source_slug),
    fallback_time_zone_updated_at: parseUtcInstant(zone?.updated_at),
    fallback_birth_date_source: codeOrOther(birth?.source_slug),
    fallback_birth_date_updated_at: parseUtcInstant(birth?.updated_at),
  };
}
