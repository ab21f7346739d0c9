import { Injectable } from '@nestjs/common';
import { PushConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { markOf, secretBytes, secretText } from './push-signature.js';
import type { SubscriptionEntity } from './subscription.entity.js';

type Secrets = Pick<SubscriptionEntity, 'secret_number' | 'secret_key' | 'previous_key' | 'previous_until'>;
type Signing = Secrets & Pick<SubscriptionEntity, 'id'>;

/** Derives the secrets of subscriptions from PUSH_SIGNING_KEYS (push-signature.ts). */
@Injectable()
export class PushSecrets {
  private readonly keys;
  private readonly marks;

  constructor(config: PushConfig) {
    this.keys = config.signingKeys;
    this.marks = this.keys.map(markOf);
  }

  /** Columns for the first secret of a subscription. Throws `conflict` if no key is configured. */
  first(): Secrets {
    return { secret_number: 1, secret_key: this.currentMark(), previous_key: null, previous_until: null };
  }

  /** Columns after a rotation; the previous secret stays live for `keptHours`. Throws `conflict` like `first`. */
  next(row: Secrets, keptHours: number, now: number): Secrets {
    const previous_until = keptHours === 0 ? null : now + keptHours * HOUR_MS;
    return {
      secret_number: row.secret_number + 1,
      secret_key: this.currentMark(),
      previous_key: previous_until === null ? null : row.secret_key,
      previous_until,
    };
  }

  /** The current secret, in the format for receivers. Throws `conflict` if its key is not configured. */
  shown(row: Signing): string {
    const bytes = this.bytes(row, row.secret_number, row.secret_key);
    if (bytes === null) throw keyMissing();
    return secretText(bytes);
  }

  /** Every live secret, the current one first; null if the current one cannot be derived. */
  live(row: Signing, now: number): Buffer[] | null {
    const current = this.bytes(row, row.secret_number, row.secret_key);
    if (current === null) return null;
    const isPreviousLive = row.previous_key !== null && (row.previous_until ?? 0) > now;
    const previous = isPreviousLive ? this.bytes(row, row.secret_number - 1, row.previous_key) : null;
    return previous === null ? [current] : [current, previous];
  }

  private bytes({ id }: Signing, number: number, keyMark: string | null): Buffer | null {
    return secretBytes({ subscription: id, number, keyMark: keyMark ?? '' }, this.keys);
  }

  private currentMark(): string {
    const [mark] = this.marks;
    if (mark === undefined) throw keyMissing();
    return mark;
  }
}

function keyMissing(): AppError {
  const message = 'Pushes cannot be signed: set PUSH_SIGNING_KEYS for every process.';
  return new AppError('conflict', message);
}
